#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The shipped captures of the groups alloc and lru: the models of the recorded kernel arrive at every slot, fallback,
# flush and drain, and the counts are those of the guest's own counters.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

SAMPLES=$TOP/traces/samples
MTHP=$SAMPLES/6.12-mthp
TRUNCATE=$SAMPLES/6.12-truncate

tap_plan 14

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

run "$SWAPTRACE" info --verify "$TRUNCATE.swaptrace"
tap_is "$STATUS" 0 "truncate: checksums are right, hits = delivered + lost + filtered"
run "$SWAPTRACE" replay --verify --json --policy drain=always "$TRUNCATE.swaptrace"
tap_is "$STATUS $(result '.results[0].verify | .checked == .agreed and .checked > 1000')" "0 true" \
	"truncate: every drain, flush and batch size is predicted"
dump=$WORK/truncate.txt
"$SWAPTRACE" dump "$TRUNCATE.swaptrace" 2>/dev/null | grep -v '^#' >"$dump"
tap_is "$(result '.results[0].lru.drains')" "$(grep -c ' DRAIN ' "$dump")" "truncate: as many drains as recorded"
# A batch that is released again after it has drained does not drain again: with drain=always each of these would.
tap_is "$(result '.results[1].lru.drains - .results[0].lru.drains')" "$(grep -c ' RELEASE .*drained=1' "$dump")" \
	"truncate: drain=always drains at those releases, too"
# 500 files of 1 to 48 pages: one batch each
tap_is "$(grep -c ' DRAIN site=__folio_batch_release ' "$dump")" "$(grep -c ' RELEASE .*drained=0' "$dump")" \
	"truncate: a drain for each batch that has not drained"
tap_is "$(grep ' FLUSH ' "$dump" | grep -vc ' op=add n=31')" 0 "truncate: full batches have 31 folios"
tap_end
