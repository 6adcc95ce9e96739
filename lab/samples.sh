#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the captures in traces/samples/ again: each NAME.swaptrace by a guest run, with a NAME.txt
# that says how.
#
# usage: lab/samples.sh --recorder FILE [--list] [NAME...]      (all of them unless names are given)
set -eu -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SAMPLES=${SAMPLES:-$LAB/../traces/samples}
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
6.1-readtwice|stock 6.1, sparse files read twice: the second read of a page activates it|--kernel 6.1 --workload readtwice
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
	echo "$name.swaptrace: $what"
	echo
	echo "Made by:"
	echo "    lab/run.sh $* --recorder ./swaptrace.static"
	echo
	cat "$dir/run.txt"
	echo
	echo "/proc/vmstat, change over the phase under test (seconds: of the emulated machine):"
	sed 's/^/    /' "$dir/vmstat.txt"
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

make_sample() {
	local name=$1 what=$2 options=$3 dir trace bytes
	# shellcheck disable=SC2206 # words of a table of our own
	options=($options --cpus 1 --size small --record-from swapon)
	dir=$WORK/$name
	say "$name: $what"
	"$LAB/run.sh" "${options[@]}" --recorder "$RECORDER" --out "$dir" >/dev/null
	trace=$(find "$dir" -maxdepth 1 -name '*.swaptrace')
	bytes=$(stat -c %s "$trace")
	if [ "$bytes" -gt $MAX_BYTES ]; then
		say "$name: $bytes bytes is more than the $MAX_BYTES that the repository takes"
		return 1
	fi
	mkdir -p "$SAMPLES"
	cp "$trace" "$SAMPLES/$name.swaptrace"
	describe "$name" "$what" "$dir" "${options[@]}" >"$SAMPLES/$name.txt"
	say "$name: $bytes bytes"
}

main() {
	local wanted=" " name what options made=0
	RECORDER=
	while [ $# -gt 0 ]; do
		case $1 in
		--help) usage && exit 0 ;;
		--list) samples | cut -d '|' -f 1,2 | tr '|' '\t' && exit 0 ;;
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
	if [ $made -eq 0 ]; then
		say "no sample of that name; lab/samples.sh --list names them"
		exit 2
	fi
}

main "$@"
