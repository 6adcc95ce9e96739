#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What-if against truth: `make fidelity`. Runs phases in a guest under several policies from one
# machine state each, records every run, predicts from the trace of one policy what the others did,
# and writes docs/fidelity.md. No figure in that file comes from anywhere else.
#
# usage: lab/fidelity.sh --recorder FILE | --measure [--out DIR] [--doc FILE] [--merge] [--list] [NAME...]
#
# On stdout one line a comparison, "pass" or "miss" first ("open": not claimed, "again": the same
# policy once more). With NAMEs only these experiments are run, and no document is written unless
# --doc says where. --merge puts them into the kept results (fidelity/results.jsonl), in the place of earlier ones,
# and writes docs/fidelity.md of all. --measure runs no guest: it predicts and compares anew from the recordings that
# are in DIR. Exit status: 0, 1 where a prediction misses a goal, 2 wrong usage, 123 where no guest
# can be had, 125 where one failed.
set -u -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SWAPTRACE=${SWAPTRACE:-$LAB/../swaptrace}
# shellcheck source=lab/fidelity/pairs.sh
. "$LAB/fidelity/pairs.sh"

# What docs/fidelity.md was made of.
KEPT=$LAB/fidelity/results.jsonl

# NAME | kind of goals | CPUs | what it shows | options of lab/run.sh | policies, the first one is
# run twice. Kinds: see fidelity/compare.jq.
experiments() {
	cat <<'TABLE'
swapoff-cluster|swapoff|1|swapoff, cluster readahead, three processes at once|--workload t1-cluster|page-cluster=3 page-cluster=5 page-cluster=1
swapoff-cluster-2|swapoff|2|the same on two CPUs|--workload t1-cluster|page-cluster=3 page-cluster=5 page-cluster=1
swapoff-large|swapoff|1|twice the memory|--workload t1-cluster --size normal|page-cluster=3 page-cluster=5
swapoff-6.1|swapoff|1|swapoff, cluster readahead, kernel 6.1|--kernel 6.1 --workload t1-cluster|page-cluster=3 page-cluster=5
swapoff-interleaved|swapoff|1|swapoff, cluster readahead, six processes that filled memory in turns|--workload interleaved --swap virtio|page-cluster=3 page-cluster=5
swapoff-fragmented|swapoff|1|swapoff, cluster readahead, fragmented swap|--workload fragmented --swap virtio|page-cluster=3 page-cluster=5
swapoff-vma|swapoff|1|swapoff, VMA readahead|--workload t1-vma --swap ssd|readahead=vma,page-cluster=3 readahead=vma,page-cluster=5 readahead=cluster,page-cluster=3
swapoff-vma-2|swapoff|2|the same on two CPUs|--workload t1-vma --swap ssd|readahead=vma,page-cluster=3 readahead=vma,page-cluster=5 readahead=cluster,page-cluster=3
fault-seq-vma|fault|1|faults in order, VMA readahead|--workload fault-seq --swap ssd|readahead=vma,page-cluster=3 readahead=vma,page-cluster=5 readahead=cluster,page-cluster=3
fault-seq-cluster-2|fault|2|faults in order, cluster readahead, two CPUs|--workload fault-seq --swap virtio|page-cluster=3 page-cluster=5
fault-mixed-cluster|fault|1|faults in order and at random in turns, cluster readahead|--workload fault-mixed --swap virtio|page-cluster=3 page-cluster=5
fault-mixed-vma-2|fault|2|faults in order and at random in turns, VMA readahead, two CPUs|--workload fault-mixed --swap ssd|readahead=vma,page-cluster=3 readahead=vma,page-cluster=5
fault-together-vma-2|fault|2|three processes fault at the same time, VMA readahead, two CPUs|--workload fault-together --swap ssd|readahead=vma,page-cluster=3 readahead=vma,page-cluster=5
fault-together-2|fault-open|2|three processes fault at the same time, cluster readahead, two CPUs|--workload fault-together --swap virtio|page-cluster=3 page-cluster=5
fault-pressure|fault-open|1|three processes fault in less memory than they need|--workload fault-pressure --swap virtio --mem 180|page-cluster=3 page-cluster=5
fault-random-cluster|fault|1|faults at random, cluster readahead|--workload fault-random --swap virtio|page-cluster=3 page-cluster=5
lab-swapoff-cluster|swapoff|1|thread T1: three ways of swapoff, cluster readahead|--kernel lab --workload t1-cluster|swapoff=lookup-first swapoff=vanilla swapoff=lookup-only
lab-swapoff-cluster-2|swapoff|2|the same on two CPUs|--kernel lab --workload t1-cluster|swapoff=lookup-first swapoff=vanilla swapoff=lookup-only
lab-swapoff-vma|swapoff|1|thread T1: three ways of swapoff, VMA readahead|--kernel lab --workload t1-vma --swap ssd|swapoff=lookup-first swapoff=vanilla swapoff=lookup-only
lab-swapoff-vma-2|swapoff|2|the same on two CPUs|--kernel lab --workload t1-vma --swap ssd|swapoff=lookup-first swapoff=vanilla swapoff=lookup-only
lab-swapoff-fragmented-2|swapoff|2|three ways of swapoff, fragmented swap, cluster readahead, two CPUs|--kernel lab --workload fragmented --swap virtio|swapoff=lookup-first swapoff=vanilla swapoff=lookup-only
lab-fault-mixed-2|fault|2|faults in order and at random in turns, cluster readahead, two CPUs|--kernel lab --workload fault-mixed --swap virtio|page-cluster=3 page-cluster=5
lab-fault-together-2|fault-open|2|three processes fault at the same time, cluster readahead, two CPUs|--kernel lab --workload fault-together --swap virtio|page-cluster=3 page-cluster=5
lab-drain|drain|1|thread T3: a released batch drains once or always|--kernel lab --workload truncate --record-from phase|drain=once drain=always
lab-drain-2|drain|2|the same on two CPUs|--kernel lab --workload truncate --record-from phase|drain=once drain=always
kernels-placed|coupled|1|three kernels, whose allocators place pages apart; then faults in order, cluster readahead|--workload placed --swap ssd:16 --env MB=11 --env THEN=faults --env TURN=1|model=v6.12 model=v6.1 model=v6.18
kernels-placed-swapoff|coupled|1|the same, then swapoff|--workload placed --swap ssd:16 --env MB=11 --env TURN=1|model=v6.12 model=v6.1 model=v6.18
kernels-placed-runs|coupled|1|the same as kernels-placed where 16 pages are dropped by one call|--workload placed --swap ssd:16 --env MB=11 --env THEN=faults|model=v6.12 model=v6.1
kernels-placed-large|coupled|1|two kernels, 64 kB folios that fall back here and there; then faults in order, cluster readahead|--workload placed --swap ssd:16 --env MB=11 --env THEN=faults --env LARGE=1|model=v6.12 model=v6.18
lab-placed|coupled|1|three allocators that place pages apart; then faults in order, cluster readahead|--kernel lab --workload placed --swap ssd:16 --env MB=11 --env THEN=faults --env TURN=1|allocator=cluster-6.12 allocator=nonfull-v1 allocator=mthp-empty-only
lab-placed-large|coupled|1|three allocators, 64 kB folios that fall back here and there; then swapoff, cluster readahead|--kernel lab --workload placed --swap ssd:16 --env MB=11 --env LARGE=1|allocator=cluster-6.12 allocator=nonfull-v1 allocator=mthp-empty-only
lab-alloc|alloc|1|thread T2: three allocators, 64 kB folios on zram that are dropped and made again|--kernel lab --workload mthp --env SHARE=1 --policy-at swapon|allocator=cluster-6.12 allocator=nonfull-v1 allocator=mthp-empty-only
lab-alloc-whole|alloc-open|1|the same where folios also come back, and 6.12 reads them in one piece|--kernel lab --workload mthp --policy-at swapon|allocator=cluster-6.12 allocator=nonfull-v1 allocator=mthp-empty-only
TABLE
}

# Predictions that replay does not claim, of experiments that are claimed otherwise: NAME|FROM|TO (see document.jq).
unclaimed() {
	cat <<'TABLE'
kernels-placed-runs|model=v6.1|model=v6.12
TABLE
}

say() {
	echo "fidelity: $*" >&2
}

usage() {
	sed -n '/^# usage:/,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '/^set/d'
}

# record_kernels DIR CPUS OPTIONS MODEL...: the same workload on the kernel of each model=vRELEASE. No state is shared
# by kernels, so the workload must ask each of them for the same.
record_kernels() {
	local dir=$1 cpus=$2 options=$3 number=0 model
	shift 3
	for model; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # words of a table of our own
		"$LAB/run.sh" --size small --record-from swapon --timeout "${GUEST_TIMEOUT:-180}" $options --cpus "$cpus" \
			--kernel "${model#model=v}" --recorder "$RECORDER" --out "$dir/$number" >/dev/null || return
		mv "$(find "$dir/$number" -maxdepth 1 -name '*.swaptrace')" "$dir/$number.swaptrace" || return 125
	done
	echo 0 >"$dir/1/from_ns"
}

# record NAME CPUS OPTIONS POLICY...: the runs, as DIR/1.swaptrace ... in the order of the policies.
record() {
	local name=$1 cpus=$2 options=$3 dir=$OUT/$1 number=0 policy args=() trace
	shift 3
	for policy; do
		args+=(--policy "$policy")
	done
	rm -rf "$dir"
	if [ "${1#model=}" != "$1" ]; then
		mkdir -p "$dir"
		record_kernels "$dir" "$cpus" "$options" "$@"
		return
	fi
	# shellcheck disable=SC2086 # words of a table of our own
	"$LAB/run.sh" --size small --record-from swapon --timeout "${GUEST_TIMEOUT:-180}" $options --cpus "$cpus" \
		--recorder "$RECORDER" --out "$dir" "${args[@]}" >/dev/null || return
	for policy; do
		number=$((number + 1))
		trace=$(find "$dir/$number" -maxdepth 1 -name '*.swaptrace')
		annotate "$trace" "$policy" && mv "$trace" "$dir/$number.swaptrace" || return 125
	done
}

# verify TRACE: what the model of the recorded kernel makes of its own trace.
verify() {
	"$SWAPTRACE" replay -q --json --verify "$1" | jq -c '.results[0] | {lost} +
		(.verify | {checked, agreed, explained, reads_unknown, first: .first_divergences})'
}

# measure NAME KIND CPUS WHAT OPTIONS POLICY...: one JSON object with all that the runs tell.
measure() {
	local name=$1 kind=$2 cpus=$3 what=$4 options=$5 dir=$OUT/$1 from number=0 k=2 policy
	local runs=() pairs=() policies other
	shift 5
	policies=("$1" "$@")
	from=$(cat "$dir/1/from_ns")
	for policy in "${policies[@]}"; do
		number=$((number + 1))
		runs+=("$(jq -nc --arg policy "$policy" --argjson truth "$(truth "$dir/$number.swaptrace" "$from")" \
			--argjson verify "$(verify "$dir/$number.swaptrace")" --arg run "$(cat "$dir/$number/run.txt")" \
			--arg before "$("$SWAPTRACE" dump -q "$dir/$number.swaptrace" |
				awk -v from="$from" '!/^#/ && $1 < from' | sha256sum)" \
			--arg requests "$(requests "$dir/$number.swaptrace")" '$ARGS.named')")
	done
	pairs=("$(pair "$kind" "$cpus" 1 2 again "${runs[0]}" "$(jq -c .truth <<<"${runs[1]}")")")
	while [ $k -lt $number ]; do
		k=$((k + 1)) other=${policies[$((k - 1))]}
		pairs+=("$(pair "$(claimed "$kind" "$name|$1|$other")" "$cpus" 1 $k prediction "${runs[$((k - 1))]}" \
			"$(prediction "$dir/1.swaptrace" "$from" "$other")")")
		pairs+=("$(pair "$(claimed "$kind" "$name|$other|$1")" "$cpus" $k 1 prediction "${runs[0]}" \
			"$(prediction "$dir/$k.swaptrace" "$from" "${policies[0]}")")")
	done
	jq -nc --arg name "$name" --arg kind "$kind" --argjson cpus "$cpus" --arg what "$what" --arg options "$options" \
		--slurpfile runs <(printf '%s\n' "${runs[@]}") --slurpfile pairs <(printf '%s\n' "${pairs[@]}") '$ARGS.named |
			.derived = [.runs[] | {policy, probed: .truth.probed, derived: .truth.derived} | select(.probed > 0) |
				. + {goal: (if $cpus == 1 then 100 else 99.9 end)} | .pass = (.derived * 100 >= .probed * .goal)]'
}

# claimed KIND NAME|FROM|TO: the kind of that prediction
claimed() {
	if unclaimed | grep -qxF -e "$2"; then
		echo "${1%-open}-open"
	else
		echo "$1"
	fi
}

# requests TRACE: what the slot allocator was asked for, in a word; pages of folios that were split ask because of an answer
requests() {
	"$SWAPTRACE" dump -q "$1" | awk '!/^#/ && $5 == "SWAPOUT" && !/ split_of=/ { print $6 }' | sha256sum
}

# pair KIND CPUS FROM TO HOW RUN PREDICTED: run TO was predicted from run FROM's trace (how=prediction), or is
# the same policy once more (how=again).
pair() {
	jq -nc --argjson from "$3" --argjson to "$4" --arg how "$5" --argjson predicted "$7" \
		--argjson compared "$(compare "$1" "$2" "$(jq -c .truth <<<"$6")" "$7")" '$ARGS.named'
}

# experiment LINE-OF-THE-TABLE: runs it, prints its comparisons, adds it to the results.
experiment() {
	local name kind cpus what options policies list result status=0
	IFS='|' read -r name kind cpus what options policies <<<"$1"
	read -ra list <<<"$policies"
	say "$name: $what"
	[ $MEASURE = yes ] || record "$name" "$cpus" "$options" "${list[0]}" "${list[@]}" 2>"$OUT/$name.log" || status=$?
	if [ $status -ne 0 ]; then
		cat "$OUT/$name.log" >&2
		say "$name: a guest failed (status $status)"
		return $status
	fi
	result=$(measure "$name" "$kind" "$cpus" "$what" "$options" "${list[@]}") || return 125
	echo "$result" >>"$OUT/results.jsonl"
	jq -r -f "$FIDELITY/lines.jq" <<<"$result"
}

wanted() {
	local name
	[ $MEASURE = no ] || [ -f "$OUT/$1/1.swaptrace" ] || return 1
	[ ${#WANTED[@]} -gt 0 ] || return 0
	for name in "${WANTED[@]}"; do
		[ "$1" != "$name" ] || return 0
	done
	return 1
}

parse_arguments() {
	RECORDER="" OUT=$LAB/../build/fidelity DOC=- WANTED=() MEASURE=no MERGE=no
	while [ $# -gt 0 ]; do
		case $1 in
		--help) usage && exit 0 ;;
		--list) experiments | cut -d '|' -f 1,4 | tr '|' '\t' && exit 0 ;;
		--measure) MEASURE=yes ;;
		--merge) MERGE=yes DOC=$LAB/../docs/fidelity.md ;;
		--recorder | --out | --doc)
			[ $# -gt 1 ] || { usage >&2 && exit 2; }
			case $1 in
			--recorder) RECORDER=$2 ;;
			--out) OUT=$2 ;;
			--doc) DOC=$2 ;;
			esac
			shift
			;;
		-*) usage >&2 && exit 2 ;;
		*) WANTED+=("$1") ;;
		esac
		shift
	done
	if [ $MEASURE = no ] && [ ! -f "$RECORDER" ]; then
		say "give --recorder FILE, the static swaptrace binary (make swaptrace.static)"
		exit 2
	fi
	[ "$DOC" != - ] || [ ${#WANTED[@]} -gt 0 ] || [ $MEASURE = yes ] || DOC=$LAB/../docs/fidelity.md
}

# merged: the kept results with those of this run, in the order of the table.
merged() {
	jq -cn --slurpfile kept "$KEPT" --slurpfile new "$OUT/results.jsonl" --arg names "$(experiments | cut -d '|' -f 1)" '
		($names | split("\n")) as $order |
		[$kept[] | select(.name as $name | all($new[]; .name != $name))] + $new |
		map(select(.name as $name | $order | index($name))) | sort_by(.name as $name | $order | index($name))[]'
}

# write_document: of what this run gave, or of all that is kept.
write_document() {
	local results=$OUT/results.jsonl
	if [ $MERGE = yes ]; then
		results=$OUT/merged.jsonl
		merged >"$results" || return
	fi
	document "$results" "$(experiments | cut -d '|' -f 1)" >"$OUT/fidelity.md" && cp "$OUT/fidelity.md" "$DOC" || return
	[ "$DOC" != "$LAB/../docs/fidelity.md" ] || cp "$results" "$KEPT"
}

main() {
	local line count=0 status
	parse_arguments "$@"
	command -v jq >/dev/null || { say "jq is not installed" && exit 123; }
	mkdir -p "$OUT" || exit 125
	rm -f "$OUT/results.jsonl"
	while read -r line; do
		wanted "${line%%|*}" || continue
		count=$((count + 1))
		experiment "$line" </dev/null || exit
	done < <(experiments)
	if [ $count -eq 0 ]; then
		say "no experiment of that name; lab/fidelity.sh --list names them"
		exit 2
	fi
	if [ "$DOC" != - ]; then
		write_document || exit 125
		say "written: $DOC"
	fi
	jq -es 'all(.[].pairs[]; .compared.pass or .compared.open or .how == "again") and all(.[].derived[]; .pass)' \
		"$OUT/results.jsonl" >/dev/null || exit 1
}

main "$@"
