#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# sweep: case 26 (page-cluster on one trace, and on a synchronous device), ranges, errors, the same result for any
# number of threads.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 27

# case26 NAME FLAGS
case26() {
	{
		printf '# swaptrace text 1\n# release=6.12.0 page_cluster=3 vma_ra=0\n'
		printf '# device type=0 pages=4096 flags=%s\n1 0 9 t SLOTS type=0 off=1 n=4095 count=1 cached=0\n' "$2"
		for off in $(seq 64 73) $(seq 1024 1033) $(seq 2048 2057) $(seq 3000 3009) \
			17 3900 700 2500 900 3333 1500 222 3700 40; do
			echo "$off LOOKUP type=0 off=$off cause=fault count=1"
		done | awk '{ printf "%d 0 9 t %s\n", NR + 1, substr($0, index($0, "LOOKUP")) }'
	} >"$WORK/$1"
}

case26 disk rotational,blkdev
run "$SWAPTRACE" sweep --init-hits 0 --json --grid 'page-cluster=0..5' "$WORK/disk"
tap_is "$STATUS" 0 "case 26: exit 0"
tap_is "$(jq -c '[.results[].readahead | [.calls, .pages_read, .ra_pages, .hits, .unused, .drains]]' "$OUT")" \
	'[[50,50,0,0,0,0],[31,51,20,19,1,21],[24,62,38,26,12,15],[24,78,54,26,28,15],[24,78,54,26,28,15],[24,78,54,26,28,15]]' \
	"case 26: calls, pages read, readahead pages, hits, unused, drains for page-cluster 0 to 5"
run "$SWAPTRACE" sweep --init-hits 0 --grid 'page-cluster=0..5' "$WORK/disk"
tap_grep '^page-cluster=2 \(what-if\) +24 +24 +-22\.58 %' "$OUT" "the gain of a step: 31 to 24 batches is -22.58 %"
tap_grep '^knee: page-cluster=2 ' "$OUT" "the knee is where batches stop falling"
tap_grep '^recommendation, from an ESTIMATE: ' "$OUT" "the recommendation is an estimate and says so"

case26 zram ssd,sync_io,blkdev
run "$SWAPTRACE" sweep --grid 'page-cluster=0..5' "$WORK/zram"
tap_grep '^no effect: .*synchronous device' "$OUT" "case 26: a synchronous device, whatever the page-cluster"

run "$SWAPTRACE" sweep --json --grid 'page-cluster=1|4,readahead=cluster|none' "$WORK/disk"
tap_is "$(jq -c '[.results[].policy]' "$OUT")" \
	'["page-cluster=1,readahead=cluster","page-cluster=4,readahead=cluster","page-cluster=1,readahead=none","page-cluster=4,readahead=none"]' \
	"every combination"

for jobs in 1 4; do
	run "$SWAPTRACE" sweep -j $jobs --json --grid 'page-cluster=0..12,prev=global|per-device' "$WORK/disk"
	cp "$OUT" "$WORK/jobs$jobs"
done
tap_same "$WORK/jobs1" "$WORK/jobs4" "one thread and four give the same document"
tap_is "$(jq '.results | length' "$OUT")" 26 "13 values times 2"

# Rows that all save something: the last one is no knee. 2^pc consecutive slots a batch.
{
	printf '# swaptrace text 1\n# release=7.4.1 page_cluster=3 vma_ra=0\n# loss cpu=0 n=7\n'
	seq 512 1023 | awk '{ printf "%d 0 9 t LOOKUP type=0 off=%d cause=fault\n", NR, $1 }'
} >"$WORK/steps"
run "$SWAPTRACE" sweep --strict --grid 'page-cluster=0..4' "$WORK/steps"
tap_is "$STATUS" 1 "loss is a finding with --strict"
tap_grep '7 events were lost while recording \(1\.35 %\)' "$ERR" "and counted: 7 of 519"
tap_grep '^knee: none in this grid' "$OUT" "where each step still saves batches there is no knee"
tap_grep '^note: there is no exact model of the readahead of kernel 7\.4\.1: .* v7\.3, does' "$OUT" "the nearest model is named with the results"
run "$SWAPTRACE" sweep --json --grid 'page-cluster=0..4' "$WORK/steps"
tap_is "$(jq -c '[.trace.events, .trace.lost]' "$OUT")" '[512,7]' "events and loss of the trace are in the document"

run "$SWAPTRACE" sweep --grid 'page-cluster=5..1' "$WORK/disk"
tap_is "$STATUS" 2 "a range that runs backwards is wrong usage"
run "$SWAPTRACE" sweep --grid 'page-cluster=0..31,swapoff=vanilla|lookup-first|lookup-only,prev=global|per-device|per-cpu,cpus=1..9' "$WORK/disk"
tap_grep 'more than 1024 combinations' "$ERR" "a grid that is too large is refused"
run "$SWAPTRACE" sweep --grid 'colour=red' "$WORK/disk"
tap_is "$STATUS" 2 "an unknown setting is wrong usage"
run "$SWAPTRACE" sweep "$WORK/missing"
tap_is "$STATUS" 3 "a missing file is unreadable input"

# Other families: what each row says is what replay says of that policy alone.
MTHP=$TOP/traces/samples/6.12-mthp.swaptrace
run "$SWAPTRACE" sweep -q --grid 'allocator=mthp-empty-only|cluster-6.18' "$MTHP"
tap_is "$STATUS" 0 "a grid over allocator="
cp "$OUT" "$WORK/allocators"
for allocator in mthp-empty-only cluster-6.18; do
	run "$SWAPTRACE" replay -q --json --policy allocator=$allocator "$MTHP"
	jq -r '.results[0].alloc.orders | to_entries | map(select(.key != "0").value) | [(map(.swpout) | add), (map(.fallback) | add)] | @tsv' "$OUT" |
		tr -d '\n' >"$WORK/counts"
	tap_is "$(sed -n '/^slot allocator/,$p' "$WORK/allocators" | awk -v p="allocator=$allocator" '$1 == p { gsub(",", ""); print $3 "\t" $4 }')" \
		"$(cat "$WORK/counts")" "$allocator: requests that got slots and that fell back"
done
tap_grep '^least fallback: allocator=cluster-6\.18, 2\.38 %$' "$WORK/allocators" "and the one that falls back least (53 of 2,230)"
tap_grep_none '^no effect|^recommendation' "$WORK/allocators" "no advice about windows from rows that do not know them"
DRAINS=$TOP/traces/samples/ab-drain.A.swaptrace
run "$SWAPTRACE" sweep -q --grid 'drain=always|once' "$DRAINS"
cp "$OUT" "$WORK/drains"
for drain in always once; do
	run "$SWAPTRACE" replay -q --json --policy drain=$drain "$DRAINS"
	tap_is "$(awk -v p="drain=$drain" '$1 == p { print $(NF - 5) }' "$WORK/drains")" "$(jq '.results[0].lru.drains' "$OUT")" \
		"drain=$drain: drains, of a trace without needs"
done
tap_grep '^fewest drains: drain=once$' "$WORK/drains" "and the fewest"
run "$SWAPTRACE" sweep -q --json --grid 'readahead=cluster:vma:fixed:8|none' "$WORK/disk"
tap_is "$(jq -c '[.results[].policy]' "$OUT")" '["readahead=cluster","readahead=vma","readahead=fixed:8","readahead=none"]' \
	"a colon separates where it is no part of a value"
tap_end
