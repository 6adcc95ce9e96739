#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the captures in traces/samples/ again: each NAME.swaptrace by a guest run, with a NAME.txt
# that says how. ab-NAME.A and ab-NAME.B are two runs from one machine state, under two policies.
# A run that leaves several files gives them their names itself, beginning with NAME.
#
# usage: lab/samples.sh --recorder FILE [--list] [NAME...]      (all of them unless names are given)
set -eu -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SAMPLES=${SAMPLES:-$LAB/../traces/samples}
SWAPTRACE=${SWAPTRACE:-$LAB/../swaptrace}
# shellcheck source=lab/fidelity/pairs.sh
. "$LAB/fidelity/pairs.sh"
# What the repository takes.
MAX_BYTES=2000000

# NAME | what it shows | options of lab/run.sh
samples() {
	cat <<'END'
6.12-cluster-swapoff|stock 6.12, swapoff, cluster readahead, thread T1 in miniature|--kernel 6.12 --workload t1-cluster
6.12-vma-swapoff|stock 6.12, swapoff, VMA readahead|--kernel 6.12 --workload t1-vma
6.1-cluster-swapoff|stock 6.1, swapoff, cluster readahead, thread T1 in miniature|--kernel 6.1 --workload t1-cluster
6.12-vma-fault-seq|stock 6.12, faults in order, VMA readahead|--kernel 6.12 --workload fault-seq
6.12-cluster-fault-random|stock 6.12, faults in random order, cluster readahead|--kernel 6.12 --workload fault-random --swap virtio
6.12-zram|stock 6.12, faults and swapoff on zram|--kernel 6.12 --workload zram
6.12-mthp|stock 6.12, 64 kB folios on zram: requests for slots, fallbacks, writes|--kernel 6.12 --workload mthp
6.12-truncate|stock 6.12, sparse files truncated: per-CPU batches of the LRU|--kernel 6.12 --workload truncate
6.1-truncate|stock 6.1, sparse files truncated: batches of 15|--kernel 6.1 --workload truncate
6.12-readtwice|stock 6.12, sparse files read twice: additions to the LRU, thread T4 in miniature|--kernel 6.12 --workload readtwice
lab-drain|lab kernel, sparse files truncated under both rules of drains: times and recordings, thread T3 in miniature|--kernel lab --workload drain
6.1-readtwice|stock 6.1, sparse files read twice: the second read of a page activates it|--kernel 6.1 --workload readtwice
END
}

# NAME | what it shows | kind (see fidelity/compare.jq) | policy A | policy B | options of lab/run.sh
pairs() {
	cat <<'END'
ab-swapoff-vma|stock 6.12, swapoff under VMA and under cluster readahead|swapoff|readahead=vma,page-cluster=3|readahead=cluster,page-cluster=5|--kernel 6.12 --workload t1-vma --swap ssd
ab-fault-mixed|stock 6.12, faults in stretches, in order and at random in turns, two page-clusters|fault|page-cluster=3|page-cluster=5|--kernel 6.12 --workload fault-mixed --swap virtio
ab-swapoff-cluster|the lab's 6.12, swapoff as before 5.8 and as from 5.8 on (T1), cluster readahead|swapoff|swapoff=vanilla|swapoff=lookup-first|--kernel lab --workload t1-cluster
ab-swapoff-only|the lab's 6.12, swapoff as from 5.8 on and as in 6.18, VMA readahead|swapoff|swapoff=lookup-first|swapoff=lookup-only|--kernel lab --workload t1-vma --swap ssd
ab-drain|the lab's 6.12, a released batch drains once or always (T3)|drain|drain=once|drain=always|--kernel lab --workload truncate --record-from phase
ab-alloc|the lab's 6.12, two slot allocators (T2), 64 kB folios on zram|alloc|allocator=cluster-6.12|allocator=mthp-empty-only|--kernel lab --workload mthp --env SHARE=1 --policy-at swapon
ab-placed|two stock kernels whose allocators place pages apart, then faults in order, cluster readahead that follows|coupled|model=v6.12|model=v6.18|--workload placed --swap ssd:8 --env MB=5 --env THEN=faults --env TURN=1
END
}

say() {
	echo "samples: $*" >&2
}

usage() {
	sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}"
}

# describe NAME WHAT DIR OPTIONS...: the text beside a sample.
describe() {
	local name=$1 what=$2 dir=$3
	shift 3
	echo "$name: $what"
	echo
	echo "Made by:"
	echo "    lab/run.sh $* --recorder ./swaptrace.static"
	echo
	cat "$dir/run.txt"
	if [ -f "$dir/vmstat.txt" ]; then
		echo
		echo "/proc/vmstat, change over the phase under test (seconds: of the emulated machine):"
		sed 's/^/    /' "$dir/vmstat.txt"
	fi
	if [ -f "$dir/mthp.txt" ]; then
		echo
		echo "Counters of the sizes of large folios at the end:"
		sed 's/^/    /' "$dir/mthp.txt"
	fi
	echo
	echo "The workload said:"
	sed -n 's/^\(workload\|guest\): /    /p' "$dir/stderr"
	echo
	echo "The recorder said:"
	sed 's/^/    /' "$dir/record.log"
}

# ship FILE NAME: into the repository
ship() {
	local bytes
	bytes=$(stat -c %s "$1")
	if [ "$bytes" -gt $MAX_BYTES ]; then
		say "$2: $bytes bytes is more than the $MAX_BYTES that the repository takes"
		return 1
	fi
	cp "$1" "$SAMPLES/$2"
	say "$2: $bytes bytes"
}

make_sample() {
	local name=$1 what=$2 options=$3 dir file traces
	# shellcheck disable=SC2206 # words of a table of our own
	options=($options --cpus 1 --size small --record-from swapon)
	dir=$WORK/$name
	say "$name: $what"
	"$LAB/run.sh" "${options[@]}" --recorder "$RECORDER" --out "$dir" >/dev/null
	mkdir -p "$SAMPLES"
	traces=("$dir"/*.swaptrace)
	if [ ${#traces[@]} -eq 1 ]; then
		ship "${traces[0]}" "$name.swaptrace"
	else
		for file in "$dir/$name"-*.swaptrace "$dir/$name"-*.times; do
			ship "$file" "${file##*/}"
		done
	fi
	describe "$name" "$what" "$dir" "${options[@]}" >"$SAMPLES/$name.txt"
}

# describe_pair: the first lines of the text beside a pair, which tests read.
describe_pair() {
	printf '%s.A.swaptrace, %s.B.swaptrace: %s\n\n' "$1" "$1" "$2"
	printf 'kind: %s\ncpus: 1\nA: %s\nB: %s\nfrom_ns: %s\n\n' "$3" "$4" "$5" "$(cat "$6/1/from_ns")"
	case $4 in
	model=*) echo "Two kernels, which the workload asked for the same slots in the same order. All that was recorded counts." ;;
	*) echo "Two runs from one machine state (QEMU savevm), which had been reached at from_ns." ;;
	esac
	echo
}

make_pair() {
	local name=$1 what=$2 kind=$3 a=$4 b=$5 dir=$WORK/$1 letter run trace policy
	local options
	# shellcheck disable=SC2206 # words of a table of our own
	options=(--cpus 1 --size tiny --record-from swapon $6)
	say "$name: $what"
	case $a in
	model=*)
		for run in "1 ${a#model=v}" "2 ${b#model=v}"; do
			"$LAB/run.sh" "${options[@]}" --kernel "${run#* }" --recorder "$RECORDER" --out "$dir/${run% *}" >/dev/null
		done
		echo 0 >"$dir/1/from_ns"
		;;
	*)
		options+=(--policy "$a" --policy "$b")
		"$LAB/run.sh" "${options[@]}" --recorder "$RECORDER" --out "$dir" >/dev/null
		;;
	esac
	mkdir -p "$SAMPLES"
	describe_pair "$name" "$what" "$kind" "$a" "$b" "$dir" >"$dir/text"
	for letter in A B; do
		run=1 policy=$a
		[ $letter = A ] || run=2 policy=$b
		trace=$(find "$dir/$run" -maxdepth 1 -name '*.swaptrace')
		annotate "$trace" "$policy"
		cp "$trace" "$SAMPLES/$name.$letter.swaptrace"
		case $policy in
		model=*) describe "$name.$letter" "$policy" "$dir/$run" "${options[@]}" --kernel "${policy#model=v}" >>"$dir/text" ;;
		*) describe "$name.$letter" "$policy" "$dir/$run" "${options[@]}" >>"$dir/text" ;;
		esac
		echo >>"$dir/text"
	done
	sed '$d' "$dir/text" >"$SAMPLES/$name.txt"
	say "$name: $(cat "$SAMPLES/$name".[AB].swaptrace | wc -c) bytes"
}

main() {
	local wanted=" " name what kind a b options made=0
	RECORDER=
	while [ $# -gt 0 ]; do
		case $1 in
		--help) usage && exit 0 ;;
		--list) { samples && pairs; } | cut -d '|' -f 1,2 | tr '|' '\t' && exit 0 ;;
		--recorder)
			RECORDER=${2:-}
			shift
			;;
		-*) usage >&2 && exit 2 ;;
		*) wanted="$wanted$1 " ;;
		esac
		shift || true
	done
	if [ ! -f "$RECORDER" ]; then
		say "give --recorder FILE, the static swaptrace binary (make swaptrace.static)"
		exit 2
	fi
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-samples.XXXXXX")
	trap 'rm -rf "$WORK"' EXIT
	while IFS='|' read -r name what options; do
		case $wanted in
		" " | *" $name "*) ;;
		*) continue ;;
		esac
		make_sample "$name" "$what" "$options" </dev/null
		made=$((made + 1))
	done < <(samples)
	while IFS='|' read -r name what kind a b options; do
		case $wanted in
		" " | *" $name "*) ;;
		*) continue ;;
		esac
		make_pair "$name" "$what" "$kind" "$a" "$b" "$options" </dev/null
		made=$((made + 1))
	done < <(pairs)
	if [ $made -eq 0 ]; then
		say "no sample of that name; lab/samples.sh --list names them"
		exit 2
	fi
}

main "$@"
