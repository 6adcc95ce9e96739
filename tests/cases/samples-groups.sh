#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The shipped captures of the groups alloc and lru: the models of the recorded kernel arrive at every slot, fallback,
# flush and drain, and the counts are those of the guest's own counters or follow from the workload.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

SAMPLES=$TOP/traces/samples
MTHP=$SAMPLES/6.12-mthp

tap_plan 32

# result FILTER: of the JSON in $OUT
result() {
	jq -r "$1" "$OUT"
}

# counter NAME: of the 64 kB folios, as the guest's kernel had it at the end; nothing was counted before the recording
counter() {
	sed -n "s|^ *64kB/stats/$1:||p" "$MTHP.txt"
}

# events FILTER: lines of the dump that match
events() {
	"$SWAPTRACE" dump "$MTHP.swaptrace" 2>/dev/null | grep -v '^#' | grep -cE -e "$1"
}

run "$SWAPTRACE" info --verify "$MTHP.swaptrace"
tap_is "$STATUS" 0 "mthp: checksums are right, hits = delivered + lost + filtered"
run "$SWAPTRACE" replay --verify --json "$MTHP.swaptrace"
tap_is "$STATUS $(result '.results[0].verify | .allocs_agreed == .allocs_checked and .allocs_checked > 10000')" "0 true" \
	"mthp: every slot and every failure is predicted"
tap_is "$(result '.results[0].alloc.orders["4"].swpout')" "$(counter swpout)" "mthp: swpout is the kernel's"
tap_is "$(result '.results[0].alloc.orders["4"].fallback')" "$(counter swpout_fallback)" \
	"mthp: swpout_fallback is the kernel's"
[ "$(counter swpout_fallback)" -gt 0 ]
tap_ok $? "mthp: there are fallbacks"
tap_is "$(events ' WRITE order=4 .* zero=0')" "$(counter swpout)" "mthp: so many 64 kB folios were written"
tap_is "$(events ' SWAPOUT order=0 .* split_of=')" $((16 * $(counter swpout_fallback))) \
	"mthp: a folio that fell back comes again as 16 pages"
tap_is "$("$SWAPTRACE" dump "$MTHP.swaptrace" 2>/dev/null | sed -n 's/.* seq=\([0-9]*\).*/\1/p' | sort -n -c 2>&1)" "" \
	"mthp: events stand in the order of the kernel's lock"

# lru_sample NAME: verified; $OUT is its replay as recorded and with drain=always, $WORK/NAME its dump
lru_sample() {
	local trace=$SAMPLES/$1.swaptrace
	run "$SWAPTRACE" info --verify "$trace"
	tap_is "$STATUS" 0 "$1: checksums are right, hits = delivered + lost + filtered"
	run "$SWAPTRACE" replay --verify --json --policy drain=always "$trace"
	tap_is "$STATUS $(result '.results[0].verify | .checked == .agreed and .checked > 200')" "0 true" \
		"$1: every drain, flush and batch size is predicted"
	"$SWAPTRACE" dump "$trace" 2>/dev/null | grep -v '^#' >"$WORK/$1"
	tap_is "$(result '.results[0].lru.drains')" "$(grep -c ' DRAIN ' "$WORK/$1")" "$1: as many drains as recorded"
}

# of NAME PATTERN: lines of the dump that match
of() {
	grep -cE -e "$2" "$WORK/$1"
}

# moved NAME OPERATION: folios of it that drains and full batches moved
moved() {
	sed -nE "s/.* DRAIN .* $2=([0-9]+).*/\1/p; s/.* FLUSH op=$2 n=([0-9]+).*/\1/p" "$WORK/$1" | awk '{ n += $1 } END { print n }'
}

for sample in 6.12-truncate 6.1-truncate; do
	lru_sample $sample
	case $sample in
	6.12-*) release=__folio_batch_release full=31 ;;
	*) release=__pagevec_release full=15 ;;
	esac
	# A batch that is released again after it has drained does not drain again: with drain=always each of these
	# would.
	tap_is "$(result '.results[1].lru.drains - .results[0].lru.drains')" "$(of $sample ' RELEASE .*drained=1')" \
		"$sample: drain=always drains at those releases, too"
	tap_is "$(of $sample " DRAIN site=$release ")" "$(of $sample ' RELEASE .*drained=0')" \
		"$sample: a drain for each batch that has not drained"
	# 500 files of 1 to 48 pages, a batch each
	[ "$(of $sample ' workload RELEASE .*drained=0')" -eq 500 ]
	tap_ok $? "$sample: the workload truncated 500 files"
	tap_is "$(grep ' FLUSH ' "$WORK/$sample" | grep -vc " op=add n=$full")" 0 "$sample: full batches have $full folios"
done

# 8 files of 512 pages, each page read by two processes: it is added once.
for sample in 6.12-readtwice 6.1-readtwice; do
	lru_sample $sample
	added=$(of $sample ' workload LRUADD op=add ')
	[ "$added" -ge 4096 ] && [ "$added" -lt 4396 ]
	tap_ok $? "$sample: 4,096 pages are added, and the processes' own" || tap_comment "$added were added"
done
# The second read activates it, unless it still waits to be added. What the kernel counted as activated has been moved;
# at most one batch of 15 was moved after the guest read its counters.
activated=$(sed -n 's/^ *pgactivate //p' "$SAMPLES/6.1-readtwice.txt")
late=$(($(moved 6.1-readtwice activate) - activated))
[ "$activated" -gt 4000 ] && [ $late -ge 0 ] && [ $late -lt 15 ]
tap_ok $? "6.1-readtwice: the kernel counted as many activations as were moved" ||
	tap_comment "$activated counted, $late more were moved"
tap_is "$(of 6.12-readtwice ' op=activate ') $(sed -n 's/^ *pgactivate //p' "$SAMPLES/6.12-readtwice.txt")" "0 0" \
	"6.12-readtwice: multi-generational LRU activates none"
tap_end
