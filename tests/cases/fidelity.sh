#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What-if against truth: pairs of recordings of real kernels, made from one machine state under two policies. From
# each of them the other is predicted and held against its events, counted without any model (lab/fidelity/truth.awk).
# docs/fidelity.md has many more, made by `make fidelity`. sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lab/fidelity/pairs.sh
. "$TOP/lab/fidelity/pairs.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

SAMPLES=$TOP/traces/samples
NAMES=$(find "$SAMPLES" -name 'ab-*.txt' -printf '%f\n' | sed 's/\.txt$//' | sort)

# setting NAME KEY: a line of the text beside a pair
setting() {
	sed -n "s/^$2: //p" "$SAMPLES/$1.txt" | head -n 1
}

# Up to the state both recordings hold the same events, to the byte.
before() {
	"$SWAPTRACE" dump -q "$SAMPLES/$1.swaptrace" | awk -v from="$2" '!/^#/ && $1 < from' | sha256sum
}

# Kernels that share no state: both were asked for the same slots, in the same order.
requests() {
	"$SWAPTRACE" dump -q "$SAMPLES/$1.swaptrace" | awk '!/^#/ && $5 == "SWAPOUT" && !/ split_of=/ { n++; all = all $6 " " } END { print n + 0, all }'
}

# start NAME: what both recordings have in common before their policies make a difference
start() {
	local name=$1 from_ns a
	from_ns=$(setting "$name" from_ns)
	if [ "$from_ns" -eq 0 ]; then
		a=$(requests "$name.A")
		[ "${a%% *}" -ge 500 ] && [ "$a" = "$(requests "$name.B")" ]
		tap_ok $? "$name: both were asked for the same" || echo "# ${a%% *} requests"
	else
		tap_is "$(before "$name.A" "$from_ns")" "$(before "$name.B" "$from_ns")" "$name: one state"
	fi
}

# direction NAME FROM TO: the prediction of run TO from run FROM.
direction() {
	local name=$1 from_ns kind compared
	from_ns=$(setting "$name" from_ns) kind=$(setting "$name" kind)
	compared=$(compare "$kind" "$(setting "$name" cpus)" "$(truth "$SAMPLES/$name.$3.swaptrace" "$from_ns")" \
		"$(prediction "$SAMPLES/$name.$2.swaptrace" "$from_ns" "$(setting "$name" "$3")")")
	[ "$(jq .pass <<<"$compared")" = true ]
	tap_ok $? "$name: $(setting "$name" "$3") is predicted from the trace of $(setting "$name" "$2")" ||
		jq . <<<"$compared" | tap_comment
}

# A prediction that is held against the wrong policy must miss, or the comparison tells nothing.
wrong() {
	local name=$1 from_ns kind compared
	from_ns=$(setting "$name" from_ns) kind=$(setting "$name" kind)
	compared=$(compare "$kind" "$(setting "$name" cpus)" "$(truth "$SAMPLES/$name.B.swaptrace" "$from_ns")" \
		"$(prediction "$SAMPLES/$name.A.swaptrace" "$from_ns" "$(setting "$name" A)")")
	tap_is "$(jq .pass <<<"$compared")" false "$name: what A did is not taken for what B did"
}

# compared FILTER KIND CPUS TRUTH PREDICTED
compared() {
	compare "$2" "$3" "$4" "$5" | jq -c "$1"
}

check_pairs() {
	local name run
	for name in $NAMES; do
		start "$name"
		for run in A B; do
			run "$SWAPTRACE" replay --verify --json "$SAMPLES/$name.$run.swaptrace"
			tap_is "$STATUS $(jq '.results[0].verify | .checked == .agreed and .checked > 500' "$OUT")" \
				"0 true" "$name.$run: every decision of the kernel is predicted"
		done
		direction "$name" A B
		direction "$name" B A
		wrong "$name"
	done
}

# The arithmetic. 90 of 100 calls are windows of 8 and 10 of 4; predicted 91 and 9: shares differ by 0.01 each, so
# the total variation is (0.01 + 0.01) / 2 = 1 %. 200 pages against 201: 0.5 %.
check_arithmetic() {
	local truth='{"windows":{"4":10,"8":90},"calls":100,"batches":100,"pages_read":200,"drains":100}'
	local predicted='{"windows":{"4":9,"8":91},"calls":100,"batches":100,"pages_read":201,"drains":100}'
	tap_is "$(compared '.differences | [.windows, .calls, .pages_read] | map(. * 1000 | round)' fault 1 "$truth" "$predicted")" \
		"[1000,0,500]" "total variation and differences"
	tap_is "$(compared .pass fault 1 "$truth" "$predicted") $(compared .pass swapoff 1 "$truth" "$predicted")" \
		"true false" "1 % is within the goal of faults, not of a swapoff"
	tap_is "$(compared .pass swapoff 1 "$truth" "$(jq -c '.pages_read = null' <<<"$truth")")" false \
		"what is not known has not passed"
	# 30 of 100 against 31 of 100: one point. Order 2 has too few requests to tell.
	truth='{"alloc":{"4":{"swpout":70,"fallback":30},"2":{"swpout":1,"fallback":0}}}'
	predicted='{"alloc":{"4":{"swpout":69,"fallback":31},"2":{"swpout":0,"fallback":1}}}'
	tap_is "$(compared '[(.differences.fallback * 1000 | round), .pass]' alloc 1 "$truth" "$predicted")" \
		"[1000,true]" "points of the share that fell back"
	# Two calls, of which the second reads nothing; 1 + 3 pages; the call before the time given does not count.
	printf '%s\n' '5 0 1 x RA ret=8' '6 0 1 x LOOKUP off=1' '7 0 1 x RA ret=8' '8 0 1 x READ n=1 cause=demand' \
		'8 0 1 x READ n=3 cause=ra' '9 0 1 x RA ret=1' '9 0 2 y READ n=2 cause=bypass' |
		awk -v from=6 -f "$FIDELITY/truth.awk" >"$OUT"
	tap_is "$(jq -Sc '[.windows, .calls, .batches, .pages_read, .drains, .lookups, .lru_drains]' "$OUT")" \
		'[{"1":1,"8":1},2,1,6,1,1,null]' "events are counted"
}

# Where large folios came back whole, another allocator would have been asked for other things: that is said, and
# not of the recorded allocator.
check_notes() {
	local whole
	whole=$("$SWAPTRACE" dump -q "$SAMPLES/6.12-mthp.swaptrace" | grep -c ' LOOKUP .* order=[1-9].* bypass=1')
	run "$SWAPTRACE" replay --policy allocator=mthp-empty-only "$SAMPLES/6.12-mthp.swaptrace"
	tap_is "$(grep -c "^note: allocator=mthp-empty-only: $whole large folios came back whole" "$OUT") $(grep -c \
		'came back whole' "$OUT")" "1 1" "replay says what the requests depend on"
}

# The document is what its generator makes of the kept results, which say what each run counted.
check_document() {
	document "$FIDELITY/results.jsonl" "$("$TOP/lab/fidelity.sh" --list | cut -f 1)" >"$OUT"
	tap_same "$TOP/docs/fidelity.md" "$OUT" "docs/fidelity.md is made of lab/fidelity/results.jsonl"
}

# The README says what the generated document says.
check_readme() {
	local line
	line=$(grep -m 1 '^\*\*[0-9]* predictions from ' "$TOP/docs/fidelity.md" | sed 's/^\*\*\(.*\)\*\*.*/\1/')
	[ -n "$line" ] && grep -qF "$line" "$TOP/README.md"
	tap_ok $? "the README quotes docs/fidelity.md" || echo "# docs/fidelity.md: $line"
}

tap_plan $((6 * $(wc -w <<<"$NAMES") + 8))
check_pairs
check_arithmetic
check_notes
check_document
check_readme
tap_end
