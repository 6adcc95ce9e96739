#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The slot allocator in replays: cases 9, 28, 29, 34, 35, 39, 42 of the list of real-world cases, fallbacks that a policy
# turns around, --verify against vectors of the real kernel code, start in the middle, invariants on random traces.
# Expected values are the cases' own, the vectors', or follow from the calculation beside them.
# timeout: 300
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 116

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
	} >"$WORK/$1"
}

# on_cpus NAME HEADER: the same for lines that begin with their CPU.
on_cpus() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ cpu = $1; sub(/^[0-9]+ /, ""); printf "%d %d %d task %s\n", NR * 1000, cpu, 100 + cpu, $0 }'
	} >"$WORK/$1"
}

# result FILE N FILTER ARGS...: what jq's FILTER makes of the alloc object of result N
result() {
	local file=$1 n=$2 filter=$3
	shift 3
	"$SWAPTRACE" replay -q --json "$@" "$WORK/$file" 2>/dev/null | jq -c "(.results | sort_by(.policy != \"recorded\"))[$n].alloc | $filter"
}

SSD='flags=ssd,blkdev'

# --- case 9: CPUs that share a swap-cache tree ---------------------------------------------------
# A rotational device on 6.18 has one place for all CPUs: slots 1 .. 400 in turn, all in chunk 0.
for i in $(seq 0 399); do
	echo "$((i % 4)) ALLOC order=0 type=0 off=$((i + 1))"
done | on_cpus case9 '# release=6.18.0 page_size=4096 cpus=4\n# device type=0 pages=262144 prio=-2 flags=rotational,blkdev'
tap_is "$(result case9 0 '[.chunks[] | [.chunk, .cpus, .slots]]')" "[[0,4,400]]" "case 9: one cursor, chunk 0 has 4 CPUs"
run "$SWAPTRACE" replay -q --verify "$WORK/case9"
tap_is "$STATUS" 0 "case 9: and that is what 6.18 does"
tap_grep 'chunks of 16,384 slots: 1, .*device 0 chunk 0: 4 CPUs, 400 slots' "$OUT" "case 9: the report names the chunk"
# On a non-rotational device the free list of 6.1 steps by 32 clusters, which is one chunk; cluster 0 holds the header
# and is not on it, so the four chunks are 1 to 4 here (the case has 0 to 3).
echo "type=0 pages=262144 prio=-2 $SSD" >"$WORK/ssd"
tap_is "$(result case9 1 '[.chunks[] | [.chunk, .cpus, .slots]]' --policy "allocator=scan-6.1,devices=$WORK/ssd")" \
	"[[1,1,100],[2,1,100],[3,1,100],[4,1,100]]" "case 9: a place per CPU, 4 chunks of one CPU each"

# --- case 28: swap tiers per cgroup --------------------------------------------------------------
for i in $(seq 1 1000); do
	printf 'ALLOC order=0 memcg=1\nALLOC order=0 memcg=2\n'
done | awk '{ print $0, "type=0 off=" NR }' | trace case28 "# release=6.12.0 cpus=1\n# device type=0 pages=100000 prio=-2 $SSD"
printf 'type=0 pages=1537 prio=10\ntype=1 pages=100000 prio=5\n' >"$WORK/list"
printf '# web on the fast device, batch on the slow one\ntype=0 pages=1537 prio=10 memcg=1\ntype=1 pages=100000 prio=5 memcg=2\n' \
	>"$WORK/tiers"
groups='[.memcgs[] | [.memcg, .type, .slots]] | sort'
tap_is "$(result case28 1 "$groups" --policy "devices=$WORK/list")" "[[1,0,768],[1,1,232],[2,0,768],[2,1,232]]" \
	"case 28: one list, both have 768 fast and 232 slow"
tap_is "$(result case28 1 "$groups" --policy "devices=$WORK/tiers")" "[[1,0,1000],[2,1,1000]]" \
	"case 28: tiers, web all fast and batch all slow"
# 1000 of 1536 usable slots
run "$SWAPTRACE" replay -q --policy "devices=$WORK/tiers" "$WORK/case28"
tap_grep '^0 .* 1,000 +1,000 +65\.10 %' "$OUT" "case 28: the fast device is 65.1 % full"

# --- case 29: priorities and round robin -----------------------------------------------------------
seq 1 6000 | sed 's/.*/ALLOC order=0 type=0 off=&/' | trace case29 "# release=6.12.0 cpus=1\n# device type=0 pages=10000 prio=-2 $SSD"
for t in 0 1 2 3; do
	echo "type=$t pages=4096 prio=-$((t + 2))" >>"$WORK/descending"
	echo "type=$t pages=4096 prio=7" >>"$WORK/equal"
done
used='[.devices[].used]'
tap_is "$(result case29 1 "$used" --policy "devices=$WORK/descending")" "[4095,1905,0,0]" "case 29: descending priorities"
tap_is "$(result case29 1 "$used | [add, (map(. >= 988 and . <= 2012) | all)]" --policy "devices=$WORK/equal")" \
	"[6000,true]" "case 29: equal priorities, each within a cluster of 1500"
tap_is "$(result case29 1 "$used | [add, (map(. >= 988 and . <= 2012) | all)]" \
	--policy "allocator=cluster-6.18,devices=$WORK/equal")" "[6000,true]" "case 29: the same on 6.18, cluster by cluster"

# --- case 34: not possible in this config is no fragmentation ---------------------------------------
# Each folio of order 4 is refused and goes out page by page.
for f in $(seq 1 100); do
	folio=$(printf '0x%x' $((f * 65536)))
	echo "SWAPOUT order=4 folio=$folio"
	echo "ALLOCFAIL order=4 folio=$folio reason=config"
	for p in $(seq 0 15); do
		page=$(printf '0x%x' $((f * 65536 + p * 4096)))
		echo "SWAPOUT order=0 folio=$page split_of=$folio"
		echo "ALLOC order=0 type=0 off=$((256 + (f - 1) * 16 + p)) folio=$page"
	done
done >"$WORK/case34.lines"
trace case34a "# release=6.12.0 page_size=4096 thp_swap=0 cluster_slots=256 cpus=1\n# device type=0 pages=4096 prio=-2 $SSD" \
	<"$WORK/case34.lines"
tap_is "$(result case34a 0 '[.orders["4"].swpout, .orders["4"].fallback, .orders["4"].reasons.config]')" "[0,100,100]" \
	"case 34: all 100 fall back, because of the config"
tap_is "$(result case34a 0 '.orders["0"].swpout')" 1600 "case 34: 1,600 pages go out one by one"
run "$SWAPTRACE" replay -q "$WORK/case34a"
tap_grep 'large swap-out not possible in this config' "$OUT" "case 34: the report says so"
tap_grep '^4 \(64 kB\) +0 +100 +100\.00 %' "$OUT" "case 34: fallback 100 %"
# The same requests with THP_SWAP: the folios go out whole, and the single requests vanish.
tap_is "$(result case34a 0 '[.first_fallback.n, .first_fallback.order, .first_fallback.reason]')" '[1,4,"config"]' \
	"case 34: from the first request on"
{
	for f in $(seq 0 96); do
		echo "ALLOC order=4 type=0 off=$((512 + f * 16))"
	done
	for f in 1 2 3; do
		echo "ALLOCFAIL order=4 reason=limit"
	done
} | trace case34b "# release=6.12.0 page_size=4096 thp_swap=1 cluster_slots=512 cpus=1\n# device type=0 pages=4096 prio=-2 $SSD"
run "$SWAPTRACE" replay -q "$WORK/case34b"
tap_grep '^4 \(64 kB\) +97 +3 +3\.00 %' "$OUT" "case 34: 97 and 3 are 3.00 %"
tap_is "$(result case34b 0 '.orders["4"].reasons.limit')" 3 "a limit of the memory cgroup is taken as given"
tap_is "$(result case34b 1 '[.orders["4"].reasons.limit, .orders["4"].swpout]' --policy allocator=cluster-6.18)" "[3,97]" \
	"under every policy"

# --- case 35: page sizes --------------------------------------------------------------------------
# A cluster has the slots of a PMD: page size / 8.
echo 'ALLOC order=0 type=0 off=1' | trace case35a "# release=6.12.0 page_size=16384 cpus=1\n# device type=0 pages=1000 prio=-2 $SSD"
echo 'ALLOC order=4 type=0 off=1' | trace case35b "# release=6.12.0 page_size=65536 cpus=1\n# device type=0 pages=1000 prio=-2 $SSD"
echo 'ALLOCFAIL order=13' | trace case35c "# release=6.12.0 page_size=65536 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
run "$SWAPTRACE" replay -q "$WORK/case35a"
tap_grep ' 15\.625 MiB' "$OUT" "case 35: 1,000 pages of 16 kB are 15.625 MiB"
run "$SWAPTRACE" replay -q "$WORK/case35b"
tap_grep ' 62\.500 MiB' "$OUT" "case 35: 1,000 pages of 64 kB are 62.5 MiB"
tap_grep '^4 \(1 MB\)' "$OUT" "case 35: order 4 is 1 MB there"
run "$SWAPTRACE" replay -q "$WORK/case35c"
tap_grep 'smaller than one cluster.*PMD order can never succeed' "$OUT" "case 35: smaller than a cluster is said"
tap_is "$(result case35c 0 '[.norders, .orders["13"].reasons["full"]]')" "[14,1]" "case 35: 14 orders, and no room for the last"

# --- case 39: invariants, order-0 pollution, a reserve -------------------------------------------------
# The device has two clusters; the first one (with the header) is full from the start, so 512 slots are left.
case39() {
	echo 'SLOTS type=0 off=1 n=511'
	for i in $(seq 0 31); do
		echo "ALLOC order=4 type=0 off=$((512 + 16 * i))"
	done
	echo 'ALLOCFAIL order=4'
	for i in $(seq 0 15); do
		echo "FREE type=0 off=$((512 + 16 * i)) n=16"
	done
	for i in $(seq 0 15); do
		echo 'ALLOCFAIL order=4'
	done
}
case39 | trace case39 "# release=6.11.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
o4='[.orders["4"].swpout, .orders["4"].fallback, .devices[0].used - 511]'
tap_is "$(SWAPTRACE_CHECK=1 result case39 0 "$o4")" "[32,17,256]" "case 39: only free clusters: 0 of 16 succeed, 256 used"
tap_is "$(SWAPTRACE_CHECK=1 result case39 1 "$o4" --policy allocator=cluster-6.12)" "[48,1,512]" \
	"case 39: partly used clusters: 16 of 16, 512 used"
tap_is "$(SWAPTRACE_CHECK=1 result case39 1 "$o4" --policy allocator=cluster-6.18)" "[48,1,512]" "case 39: 6.18 likewise"
tap_is "$(SWAPTRACE_CHECK=1 result case39 1 "$o4" --policy allocator=nonfull-v1)" "[48,1,512]" "case 39: v1 likewise"
run "$SWAPTRACE" replay -q --verify "$WORK/case39"
tap_is "$STATUS" 0 "case 39: which is what 6.11 did"
tap_grep 'allocations and failures 49 of 49' "$OUT" "case 39: every answer agrees"
# Order 0 fills everything before order 4 asks: 3,583 requests fill all but 512 slots of 8 clusters.
{
	seq 1 3583 | sed 's/.*/ALLOC order=0 type=0 off=&/'
	for i in $(seq 0 39); do
		echo "ALLOC order=4 type=0 off=$((3584 + 16 * i))"
	done
} | trace pollution "# release=6.18.0 page_size=4096 cpus=1\n# device type=0 pages=4608 prio=-2 $SSD"
tap_is "$(result pollution 0 '[.orders["0"].fallback, .orders["4"].swpout, .orders["4"].fallback]')" "[0,40,0]" \
	"a device with room for all"
printf 'type=0 pages=4096 %s\n' "$SSD" >"$WORK/smaller"
# 4,095 usable slots: order 0 has 3,583, one cluster is left for 32 folios; the pages of the other 8 find nothing.
tap_is "$(result pollution 1 '[.orders["0"].fallback, .orders["4"].swpout, .orders["4"].fallback, .unplaced]' \
	--policy "devices=$WORK/smaller")" "[128,32,8,128]" "case 39: on a smaller one 8 fall back, and their pages too"
# 25 % of 8 clusters are 2, kept for order 4: all 40 fit, but order 0 has 6 clusters less the header: 3,071 of 3,583.
tap_is "$(SWAPTRACE_CHECK=1 result pollution 1 '[.orders["0"].fallback, .orders["4"].swpout, .orders["4"].fallback]' \
	--policy "devices=$WORK/smaller,reserve=4:25")" "[512,40,0]" "case 39: a reserve of 25 % saves order 4, at the cost of order 0"

# --- case 42: why ------------------------------------------------------------------------------------
# Slot 0 is the header; 8, 16, ... are used, so 127 of 1,023. Lists as if the clusters served orders 2 and 1.
{
	for i in $(seq 8 8 1016); do
		echo "SLOTS type=0 off=$i"
	done
	echo 'CLUSTER type=0 index=0 list=nonfull order=2 used=64'
	echo 'CLUSTER type=0 index=1 list=nonfull order=1 used=64'
	echo 'ALLOCFAIL order=3'
	echo 'ALLOC order=2 type=0 off=4'
	echo 'ALLOC order=1 type=0 off=514'
	# All that is free: 896 less 4 and 2.
	for i in $(seq 1 1023); do
		[ $((i % 8)) -eq 0 ] || [ $((i / 4)) -eq 1 ] || [ $((i / 2)) -eq 257 ] || echo "ALLOC order=0 type=0 off=$i"
	done
	echo 'ALLOCFAIL order=0'
} >"$WORK/case42.lines"
trace case42 "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD" <"$WORK/case42.lines"
tap_is "$(result case42 0 '[.orders["3"].reasons["no-aligned-hole"], .orders["3"].fallback]')" "[1,1]" \
	"case 42: order 3 has no aligned hole"
tap_is "$(result case42 0 '[.first_fallback.n, .first_fallback.order, (.first_fallback.free_pct * 10 | round), .first_fallback.aligned_holes]')" \
	"[1,3,876,0]" "case 42: with 896 of 1,023 slots free, no hole of that order"
# Aligned holes by hand: of each 8 slots the 7 behind the used one are free: one of order 2, three of order 1.
tap_is "$(result case42 0 '.first_fallback.holes | [.["0"], .["1"], .["2"], .["3"]]')" "[896,384,128,0]" \
	"case 42: the map of holes"
tap_is "$(result case42 0 '[.orders["2"].swpout, .orders["1"].swpout]')" "[1,1]" "case 42: orders 2 and 1 succeed"
tap_is "$(result case42 0 '[.orders["0"].swpout, .orders["0"].fallback, .orders["0"].reasons.full]')" "[890,1,1]" \
	"case 42: order 0 fails when all is full"
tap_is "$(result case42 0 '[.devices[0].used, .clusters_free]')" "[1023,0]" "case 42: every slot is used then"
# Without lists of those orders 6.12 does not look into the clusters, though there are holes.
grep -v CLUSTER "$WORK/case42.lines" | sed 's/ALLOC order=2.*/ALLOCFAIL order=2/; s/ALLOC order=1.*/ALLOCFAIL order=1/' |
	head -n 130 | trace case42b "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
tap_is "$(result case42b 0 '[.orders["2"].reasons["hole-not-found"], .orders["1"].reasons["hole-not-found"]]')" "[1,1]" \
	"a hole that is not looked for is another reason"

# --- a fallback that a policy turns around ---------------------------------------------------------
# Recorded: 32 folios fill cluster 1, one is dropped, another takes its place; then 4 pages of that are dropped.
{
	for i in $(seq 0 31); do
		echo "ALLOC order=4 type=0 off=$((512 + 16 * i))"
	done
	echo 'FREE type=0 off=528 n=16'
	echo 'ALLOC order=4 type=0 off=528'
	echo 'FREE type=0 off=532 n=4'
} >"$WORK/invent.lines"
header="# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
trace invent "$header" <"$WORK/invent.lines"
counts='[.orders["4"].swpout, .orders["4"].fallback, .orders["0"].swpout, .invented, .devices[0].used]'
tap_is "$(SWAPTRACE_CHECK=1 result invent 0 "$counts")" "[33,0,0,0,508]" "recorded: 33 folios, 508 slots used"
# No free cluster: 16 single requests; 4 of their pages are dropped. 31 * 16 + 12 = 508.
tap_is "$(SWAPTRACE_CHECK=1 result invent 1 "$counts" --policy allocator=mthp-empty-only)" "[32,1,16,16,508]" \
	"where only the policy fails, 16 single requests take its place and drops follow them"
tap_is "$(result invent 1 '.orders["4"].reasons["hole-not-found"]' --policy allocator=mthp-empty-only)" 1 \
	"and the reason is that it does not look at the hole"
{
	cat "$WORK/invent.lines"
	echo 'FREE type=0 off=528 n=4'
	echo 'FREE type=0 off=536 n=8'
} | trace invent2 "$header"
tap_is "$(SWAPTRACE_CHECK=1 result invent2 1 '.devices[0].used' --policy allocator=mthp-empty-only)" 496 \
	"the rest is dropped, too"

# The other way round: recorded on 6.11, where the folio that comes last falls back; three of its pages follow.
{
	for i in $(seq 0 31); do
		echo "SWAPOUT order=4 folio=$(printf '0x%x' $((0x100000 + i * 65536)))"
		echo "ALLOC order=4 type=0 off=$((512 + 16 * i))"
	done
	echo 'UNREF type=0 off=528 n=16 how=zap left=0'
	echo 'SWAPOUT order=4 folio=0xa00000'
	echo 'ALLOCFAIL order=4 folio=0xa00000 reason=space'
	for p in 1 2 3; do
		echo "SWAPOUT order=0 folio=0xa0${p}000 split_of=0xa00000"
		echo "ALLOC order=0 type=0 off=$p folio=0xa0${p}000"
	done
	echo 'UNREF type=0 off=2 n=1 how=zap left=0'
} >"$WORK/absorb.lines"
header="# release=6.11.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
trace absorb "$header" <"$WORK/absorb.lines"
counts='[.orders["4"].swpout, .orders["4"].fallback, .orders["0"].swpout, .absorbed, .devices[0].used]'
# 31 * 16 + 3 - 1
tap_is "$(SWAPTRACE_CHECK=1 result absorb 0 "$counts")" "[32,1,3,0,498]" "recorded: one fallback, three single pages"
# 32 * 16 less the page that was dropped: the second one to come out of the folio
tap_is "$(SWAPTRACE_CHECK=1 result absorb 1 "$counts" --policy allocator=cluster-6.12)" "[33,0,0,3,511]" \
	"where the policy succeeds, the single requests vanish and drops go to the folio's pages"
# The folio's address comes back: what was left of it (13 pages) is gone. Slots 528 and 530 are still used, so there is
# no room for order 4 in cluster 1; cluster 0 has holes, but serves order 0.
{
	cat "$WORK/absorb.lines"
	echo 'SWAPOUT order=4 folio=0xa00000'
	echo 'ALLOCFAIL order=4 folio=0xa00000 reason=space'
} | trace absorb2 "$header"
tap_is "$(SWAPTRACE_CHECK=1 result absorb2 1 "$counts" --policy allocator=cluster-6.12)" "[33,1,0,3,498]" \
	"what was left of a folio goes when its address comes back"
tap_is "$(result absorb2 1 '.orders["4"].reasons["hole-not-found"]' --policy allocator=cluster-6.12)" 1 \
	"and the next one finds no place"
tap_is "$(result absorb2 0 '[.recorded["4"].swpout, .recorded["4"].fallback, .recorded["0"].swpout]')" "[32,2,3]" \
	"the recorded kernel's own counts are kept beside them"

# --- slots that only the swap cache holds ---------------------------------------------------------------
# 6.18: 500 single slots and 32 folios, of 16 of which the last page is dropped: 16 slots are free in cluster 1, but no
# aligned 16. The folio at 512 is read back in and stays in the swap cache. More than half of swap is used, so the next
# folio gets its place.
{
	seq 1 500 | sed 's/.*/SWAPOUT order=0\nALLOC order=0 type=0 off=&/'
	for i in $(seq 0 31); do
		printf 'SWAPOUT order=4\nALLOC order=4 type=0 off=%d\n' $((512 + 16 * i))
	done
	for i in $(seq 1 16); do
		echo "UNREF type=0 off=$((512 + 16 * i + 15)) n=1 how=zap left=0"
	done
	echo 'CACHE type=0 off=512 n=16 by=swapin'
	echo 'UNREF type=0 off=512 n=16 how=swapin left=0'
	echo 'SWAPOUT order=4'
	echo 'UNCACHE type=0 off=512 n=16 by=reclaim'
	echo 'FREE type=0 off=512 n=16 cause=reclaim'
	echo 'ALLOC order=4 type=0 off=512'
} | trace taken "# release=6.18.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/taken"
tap_is "$STATUS" 0 "a folio that the allocator took back is taken back by the model, at the same moment"
# 500 + 32 * 16 - 16, and the folio's 16 slots changed hands
tap_is "$(result taken 0 '[.orders["4"].swpout, .orders["4"].fallback, .devices[0].used]')" "[33,0,996]" "and its slots go to the next"
# A trace that does not tell which folios were taken back.
sed -i '/UNCACHE/d; /FREE/d' "$WORK/taken"
tap_is "$(SWAPTRACE_CHECK=1 result taken 1 '[.orders["4"].swpout, .devices[0].used]' --policy cpus=2)" "[33,996]" \
	"a what-if takes back what only the swap cache holds"

# --- recordings as the kernels make them --------------------------------------------------------------
# 6.12 on 1 GB: the slots cache draws 64 slots of cluster 32, the first one of the free list, one event each;
# later folios get theirs without a call of the allocator. Freed slots wait for the 65th.
{
	echo 'SWAPOUT order=0 folio=0x1000'
	seq 16384 16447 | sed 's/.*/ALLOC order=0 type=0 off=& n=1 via=cache/'
	echo 'CACHE type=0 off=16384 n=1 by=swapout'
	for i in $(seq 1 65); do
		echo "SWAPOUT order=0 folio=0x${i}0001000"
		[ "$i" -ne 64 ] || seq 16448 16511 | sed 's/.*/ALLOC order=0 type=0 off=& n=1 via=cache/'
		echo "CACHE type=0 off=$((16384 + i)) n=1 by=swapout"
	done
	echo 'SWAPOUT order=4 folio=0x70000000'
	echo 'ALLOC order=4 type=0 off=32768 n=16 via=direct'
	echo 'CACHE type=0 off=32768 n=16 by=swapout'
} >"$WORK/refill.lines"
header="# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=262144 prio=-2 $SSD"
trace refill "$header" <"$WORK/refill.lines"
run "$SWAPTRACE" replay -q --verify "$WORK/refill"
tap_is "$STATUS" 0 "slots caches of a 6.12 recording are followed"
# 66 single folios, two fillings, one large folio
tap_grep 'allocations and failures 69 of 69' "$OUT" "every answer and every filling agrees"
tap_is "$(result refill 0 '[.orders["0"].swpout, .orders["4"].swpout, .recorded["0"].swpout, .devices[0].used]')" "[66,1,66,82]" \
	"slots that wait in a cache are nobody's"
sed 's/off=16400 n=1 via=cache/off=17000 n=1 via=cache/' "$WORK/refill.lines" | trace wrong "$header"
run "$SWAPTRACE" replay -q --verify "$WORK/wrong"
tap_grep 'allocations and failures 6[78] of 69' "$OUT" "a wrong slot in a filling is a difference"
# 6.18: the folio is in the swap cache before the call returns; single slots in order from 1.
for i in $(seq 1 20); do
	echo "SWAPOUT order=0 folio=0x${i}0001000"
	echo "CACHE type=0 off=$i n=1 by=swapout"
	echo "ALLOC order=0 type=0 off=$i n=1 via=direct folio=0x${i}0001000"
done | trace late "# release=6.18.0 page_size=4096 cpus=1\n# device type=0 pages=262144 prio=-2 $SSD"
run "$SWAPTRACE" replay -q --verify "$WORK/late"
tap_grep 'allocations and failures 20 of 20' "$OUT" "an answer that is told twice counts once"
# The limit of a memory cgroup is met after the slots were given; they go back, and are given again.
{
	echo 'SWAPOUT order=4 folio=0x10000'
	echo 'ALLOC order=4 type=0 off=512 n=16 folio=0x10000'
	echo 'ALLOCFAIL order=4 folio=0x10000 reason=limit'
	echo 'SWAPOUT order=4 folio=0x20000'
	echo 'ALLOC order=4 type=0 off=528 n=16 folio=0x20000'
	echo 'CACHE type=0 off=528 n=16 by=swapout'
} | trace limit "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=262144 prio=-2 $SSD"
tap_is "$(result limit 0 '[.orders["4"].swpout, .orders["4"].fallback, .orders["4"].reasons.limit, .devices[0].used]')" \
	"[1,1,1,16]" "slots that a limit took back are neither used nor counted"
# Without a recorded answer at all requests are still requests.
seq 1 5 | sed 's/.*/SWAPOUT order=0/' | trace alone "$header"
tap_is "$(result alone 0 '[.orders["0"].swpout, .recorded]')" "[5,null]" "SWAPOUT alone can be replayed"
run "$SWAPTRACE" replay -q --verify "$WORK/alone"
tap_is "$STATUS" 1 "but not verified"

# --- verify can fail ---------------------------------------------------------------------------------
sed '40s/off=[0-9]*/off=1008/; 33s/off=[0-9]*/off=992/' "$WORK/case34b" >"$WORK/wrong"
run "$SWAPTRACE" replay -q --verify "$WORK/wrong"
tap_is "$STATUS" 1 "a slot that the allocator would not give is a finding"
tap_grep 'ALLOC: recorded order=4 type=0 off=992; predicted order=4 type=0 off=' "$OUT" "and is shown beside the model's"
sed '$d' "$WORK/case39" >"$WORK/wrong"
echo '900000 0 100 task ALLOC order=4 type=0 off=512' >>"$WORK/wrong"
run "$SWAPTRACE" replay -q --verify "$WORK/wrong"
tap_grep 'recorded order=4 type=0 off=512; predicted order=4 nothing' "$OUT" "so is an answer to a request that must fail"
sed 's/ALLOC order=4 type=0 off=512$/ALLOCFAIL order=4/' "$WORK/case34b" >"$WORK/wrong"
run "$SWAPTRACE" replay -q --verify "$WORK/wrong"
tap_grep 'ALLOCFAIL: recorded order=4 nothing; predicted order=4 type=0 off=512' "$OUT" "and a failure where there is room"
tap_grep 'allocations and failures 9[0-9] of 9[0-9]' "$OUT" "one difference is taken over and counts once"
sed 's/release=6.12.0/release=6.15.0/' "$WORK/case34b" >"$WORK/wrong"
run "$SWAPTRACE" replay -q --verify "$WORK/wrong"
tap_is "$STATUS" 2 "a release without an exact model is refused"

# --- begun in the middle --------------------------------------------------------------------------------
# Slots 1 .. 600 are in use at the start and nobody knows where the CPU goes on: the first answer differs, then the
# places agree.
{
	echo 'SLOTS type=0 off=1 n=300'
	seq 400 499 | sed 's/.*/ALLOC order=0 type=0 off=&/'
} | trace middle "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=4096 prio=-2 $SSD"
run "$SWAPTRACE" replay -q --verify "$WORK/middle"
tap_is "$STATUS" 0 "a trace begun in the middle is verified from where it is in step"
tap_grep 'failures 99 of 99; in step from decision 2 \(3000 ns\) on, the 1 before are not counted' "$OUT" "and says from where"
tap_grep 'does not tell: lists of clusters, where CPUs go on$' "$OUT" "and what is not known of the start"
# Where lists are not known, a difference later on says that it was not in step after all: the 101st request.
seq 1024 1099 | sed 's/.*/ALLOC order=0 type=0 off=&/' | awk '{ print 1000000 + NR * 1000, 0, 100, "task", $0 }' |
	cat "$WORK/middle" - >"$WORK/later"
run "$SWAPTRACE" replay -q --verify "$WORK/later"
tap_grep 'failures 75 of 75; in step from decision 102 \(1002000 ns\) on, the 101 before are not counted' "$OUT" \
	"not in step after all"
# With the lists of clusters and the CPU's place the first answer is known, too: the 300 slots are in the first of 8
# clusters, and CPU 0 goes on behind them with order 0.
{
	echo 'SLOTS type=0 off=1 n=300'
	for i in $(seq 1 7); do
		echo "CLUSTER type=0 index=$i list=free order=0 used=0"
	done
	echo 'CLUSTER type=0 index=0 list=nonfull order=0 used=301'
	echo 'PCPU type=0 order=0 next=301'
	seq 301 400 | sed 's/.*/ALLOC order=0 type=0 off=&/'
} | trace told "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=4096 prio=-2 $SSD"
run "$SWAPTRACE" replay -q --verify "$WORK/told"
tap_grep 'failures 100 of 100; in step from the first one on, with slots in use at the start$' "$OUT" \
	"a state that the trace tells is where the model begins"
tap_grep_none 'does not tell' "$OUT" "and nothing is missing"
# Slots that wait in a slots cache: 3 to be given (700 to 702), 63 to be freed. The next requests get them in this order;
# one more slot that comes back fills the other side, and the one after it frees all 64.
{
	echo 'SLOTS type=0 off=1 n=511'
	echo 'SLOTS type=0 off=600 n=63 count=0 cached=1'
	echo 'SLOTS type=0 off=700 n=3 count=0 cached=1'
	for i in $(seq 2 7); do
		echo "CLUSTER type=0 index=$i list=free order=0 used=0"
	done
	echo 'CLUSTER type=0 index=0 list=full order=0 used=512'
	echo 'CLUSTER type=0 index=1 list=nonfull order=0 used=66'
	echo 'PCPU type=0 order=0 next=703'
	echo 'PCPU active=1'
	for i in 701 700 702; do
		echo "PCPU type=0 off=$i side=alloc"
	done
	seq 600 662 | sed 's/.*/PCPU type=0 off=& side=free/'
	for i in 701 700 702; do
		echo "SWAPOUT order=0 folio=0x${i}0000 seq=1"
		echo "ALLOC order=0 type=0 off=$i n=1 folio=0x${i}0000 via=cache"
	done
	echo 'UNREF type=0 off=700 how=zap left=0'
	echo 'UNREF type=0 off=701 how=zap left=0'
	seq 600 662 | sed 's/.*/FREE type=0 off=& cause=flush/'
	echo 'FREE type=0 off=700 cause=flush'
	echo 'SWAPOUT order=9 folio=0x10000000'
	echo 'ALLOC order=9 type=0 off=1024 n=512 folio=0x10000000 via=direct'
} | trace parked "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=4096 prio=-2 $SSD"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/parked"
tap_grep 'failures 4 of 4$' "$OUT" "what slots caches hold is given in their order"
# 511 + 702 + the large folio's 512; 701 waits to be freed and is nobody's
tap_is "$(SWAPTRACE_CHECK=1 result parked 0 '.devices[0].used')" 1024 "and is nobody's until then"
tap_is "$(SWAPTRACE_CHECK=1 result parked 1 '.devices[0].used' --policy allocator=cluster-6.18)" 1024 "under any policy"

# --- several CPUs -----------------------------------------------------------------------------------------
# CPU 0 draws 64 slots for its slots cache; CPU 1 is served from its own cache, and lets a slot go, before CPU 0 is
# through: the allocator's lock keeps these out of the filling, although their events are in between.
{
	echo '1 SWAPOUT order=0 folio=0x1000 seq=1'
	seq 512 575 | sed 's/.*/1 ALLOC order=0 type=0 off=& n=1 via=cache seq=2/'
	echo '1 ALLOC order=0 type=0 off=512 n=1 folio=0x1000 via=cache seq=2'
	echo '1 CACHE type=0 off=512 n=1 by=swapout'
	echo '0 SWAPOUT order=0 folio=0x2000 seq=3'
	seq 1024 1059 | sed 's/.*/0 ALLOC order=0 type=0 off=& n=1 via=cache seq=4/'
	echo '1 UNCACHE type=0 off=512 n=1 by=reclaim'
	echo '1 SWAPOUT order=0 folio=0x3000 seq=5'
	echo '1 ALLOC order=0 type=0 off=513 n=1 folio=0x3000 via=cache seq=6'
	echo '1 CACHE type=0 off=513 n=1 by=swapout'
	seq 1060 1087 | sed 's/.*/0 ALLOC order=0 type=0 off=& n=1 via=cache seq=7/'
	echo '0 ALLOC order=0 type=0 off=1024 n=1 folio=0x2000 via=cache seq=8'
	echo '0 SWAPOUT order=0 folio=0x4000 seq=9'
	echo '0 ALLOC order=0 type=0 off=1025 n=1 folio=0x4000 via=cache seq=10'
} >"$WORK/beside.lines"
cpus2="# release=6.12.0 page_size=4096 cpus=2\n# device type=0 pages=16384 prio=-2 $SSD"
on_cpus beside "$cpus2" <"$WORK/beside.lines"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/beside"
# 4 answers, 2 fillings
tap_grep 'allocations and failures 6 of 6$' "$OUT" "2 CPUs: a filling is one step, whatever else goes on beside it"
# The same, but CPU 1 is given a slot from inside the lock: CPU 0 let go of it. Its filling has two parts.
sed 's/^1 ALLOC order=0 type=0 off=513 n=1 folio.*/1 ALLOC order=4 type=0 off=1536 n=16 folio=0x3000 via=direct seq=6/
	s/^1 CACHE type=0 off=513 n=1/1 CACHE type=0 off=1536 n=16/
	s/SWAPOUT order=0 folio=0x3000/SWAPOUT order=4 folio=0x3000/' "$WORK/beside.lines" >"$WORK/between.lines"
on_cpus between "$cpus2" <"$WORK/between.lines"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/between"
tap_grep 'allocations and failures 7 of 7$' "$OUT" "2 CPUs: a filling that lets another CPU in is two steps"
# A slot that CPU 1 lets go is free only when it has the lock (FREE), which is after CPU 0 was served: the cluster it is
# in, the last one of the device, is full until then, so that CPU 0 has to fail.
{
	echo '0 SLOTS type=0 off=1 n=2046'
	echo '0 CLUSTER type=0 index=0 list=full order=0 used=512'
	echo '0 CLUSTER type=0 index=1 list=full order=0 used=512'
	echo '0 CLUSTER type=0 index=2 list=full order=0 used=512'
	echo '0 CLUSTER type=0 index=3 list=nonfull order=0 used=511'
	echo '0 PCPU type=0 order=0 next=2047'
	echo '0 PCPU active=0'
	echo '0 SWAPOUT order=0 folio=0x1000 seq=1'
	echo '0 ALLOC order=0 type=0 off=2047 n=1 folio=0x1000 via=direct seq=2'
	echo '0 CACHE type=0 off=2047 n=1 by=swapout'
	echo '1 UNREF type=0 off=700 how=zap left=0'
	echo '0 SWAPOUT order=0 folio=0x2000 seq=3'
	echo '0 ALLOCFAIL order=0 folio=0x2000 reason=space seq=4'
	echo '1 FREE type=0 off=700 cause=direct seq=5'
	echo '0 SWAPOUT order=0 folio=0x3000 seq=6'
	echo '0 ALLOC order=0 type=0 off=700 n=1 folio=0x3000 via=direct seq=7'
} | on_cpus late "# release=6.12.0 page_size=4096 cpus=2\n# device type=0 pages=2048 prio=-2 $SSD"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/late"
tap_grep 'allocations and failures 3 of 3$' "$OUT" "2 CPUs: a slot is free when FREE says so"
# A request that is under way has its slot taken off the free ones: the last one is not for CPU 1.
sed '/UNREF/,$d' "$WORK/late" | sed '/SWAPOUT/,$d' >"$WORK/last"
cat >>"$WORK/last" <<END
8000 0 100 task SWAPOUT order=0 folio=0x1000 seq=1
9000 1 101 task SWAPOUT order=0 folio=0x2000 seq=2
10000 1 101 task ALLOCFAIL order=0 folio=0x2000 reason=space seq=3
11000 0 100 task ALLOC order=0 type=0 off=2047 n=1 folio=0x1000 via=direct seq=4
END
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/last"
tap_grep 'allocations and failures 2 of 2$' "$OUT" "2 CPUs: a request under way reserves its slot"
sed -i '4,$s/off=4\(.\)\(.\)$/off=4\2\1/' "$WORK/middle"
run "$SWAPTRACE" replay -q --verify "$WORK/middle"
tap_is "$STATUS" 1 "never in step is a finding"
tap_grep 'never in step' "$OUT" "and is said"

# --- devices come and go --------------------------------------------------------------------------------
{
	echo "SWAPON type=0 pages=1024 prio=-2 $SSD"
	echo 'ALLOC order=0 type=0 off=512'
	echo "SWAPON type=1 pages=1024 prio=5 $SSD"
	echo 'ALLOC order=0 type=1 off=512'
	echo 'SWAPOFF op=begin type=1'
	echo 'ALLOC order=0 type=0 off=513'
	echo 'FREE type=1 off=512 n=1'
	echo 'SWAPOFF op=end type=1 ret=0'
	echo 'ALLOC order=0 type=0 off=514'
} | trace devices '# release=6.12.0 page_size=4096 cpus=1'
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/devices"
tap_is "$STATUS" 0 "swapon and swapoff act on the model"
tap_grep 'allocations and failures 4 of 4' "$OUT" "every answer agrees"
sed -i 's/op=end type=1 ret=0/op=end type=1 ret=-4/; s/ALLOC order=0 type=0 off=514/ALLOC order=0 type=1 off=513/' "$WORK/devices"
run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --verify "$WORK/devices"
tap_is "$STATUS" 0 "a swapoff that was killed leaves the device on"

# --- discard ---
{
	echo 'ALLOC order=4 type=0 off=512'
	echo 'FREE type=0 off=512 n=16'
} | trace discard "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=4096 prio=-2 flags=ssd,blkdev,discard"
run "$SWAPTRACE" replay -q --policy allocator=nonfull-v1 "$WORK/discard"
tap_grep '^note: device 0 discards freed clusters, which is not modelled: they are free again only when' "$OUT" \
	"what is not modelled of discards is said"
tap_grep '^note: .*device 0 discards freed clusters, which is not modelled: they are free at once' "$OUT" "for each allocator"

# --- nearest models ---
run "$SWAPTRACE" replay -q --policy model=v5.6 "$WORK/case34b"
tap_grep 'no exact model of the slot allocator of kernel v5.6: the nearest, scan-6.1' "$OUT" "a nearest model is named"
# docs/kernel-facts.md#allocator-614: 6.17 has another slot allocator than 6.12, #who-reads-ahead: but its readahead.
echo 'ALLOC order=0 type=0 off=512' | trace newer '# release=6.17.13 page_size=4096 cpus=1\n# device type=0 pages=4096 prio=-2 flags=ssd,blkdev'
run "$SWAPTRACE" replay --verify "$WORK/newer"
tap_is "$STATUS" 2 "slots of a kernel whose allocator has no exact model are not verified"
tap_grep 'no exact model of kernel 6\.17\.13 for what the trace tells of \(slot allocator\).* nearest is v6\.12' "$ERR" "and why not"
{
	echo 'SWAPOUT order=0'
	echo 'ALLOC order=0 type=0 off=512'
	echo 'LOOKUP type=0 off=512 cause=fault hit=0'
	echo 'RA mode=cluster type=0 off=512 ret=8'
} | trace both '# release=6.17.13 page_size=4096 cpus=1 page_cluster=3 vma_ra=0\n# device type=0 pages=4096 prio=-2 flags=ssd,blkdev'
run "$SWAPTRACE" replay --verify "$WORK/both"
tap_is "$STATUS" 0 "its readahead is verified all the same"
tap_grep 'windows 1 of 1, lookups 1 of 1' "$OUT" "window by window"
tap_grep "not checked: .*slots \(no exact model of this kernel's allocator\)" "$OUT" "and what was not checked is named"
sed 's/6\.17\.13/6.12.0/' "$WORK/both" >"$WORK/older"
run "$SWAPTRACE" replay --verify "$WORK/older"
tap_ok "$(grep -c 'no exact model' "$OUT")" "6.12 has one"

# --- settings ------------------------------------------------------------------------------------------
bad() {
	run "$SWAPTRACE" replay -q --policy "$1" "$WORK/case39"
	tap_is "$STATUS" "$2" "policy $1 is refused"
	tap_grep "$3" "$ERR" "and says why"
}
bad allocator=slab 2 'allocator=slab is not one of scan-6.1'
bad reserve=4 2 'reserve=4 is not ORDER:PERCENT'
bad "devices=$WORK/none" 2 'devices=.*No such file'
printf 'type=0 pages=100\n\ntype=0 pages=200\n' >"$WORK/twice"
bad "devices=$WORK/twice" 2 'twice:3: device 0 is there twice'
printf 'type=0 pages=1\n' >"$WORK/tiny"
bad "devices=$WORK/tiny" 2 'tiny:1: pages=1 is not a number of slots'
run "$SWAPTRACE" replay -q -o "$WORK/r.json" --policy allocator=cluster-6.12 "$WORK/case39"
tap_is "$("$SWAPTRACE" report --format json "$WORK/r.json" 2>/dev/null | jq -c '[.results[].alloc | [.allocator, .orders["4"].swpout]] | sort')" \
	'[["cluster-6.12",48],["mthp-empty-only",32]]' "results are read back as they were written"

# --- vectors of the real kernel code ---------------------------------------------------------------------
# golden NAME: the vector as a trace, with --verify; every answer must agree.
golden() {
	local name=$1 status=0 checked
	zstd -dcq "$TOP/tests/golden/$name.tsv.zst" >"$WORK/vector.tsv"
	awk -f "$TOP/tests/golden_to_text.awk" "$WORK/vector.tsv" >"$WORK/vector" || status=$?
	run "$SWAPTRACE" replay -q --verify "$WORK/vector"
	# As many answers as the vector has rows of requests.
	checked=$(grep -cE '^[ab]	' "$WORK/vector.tsv")
	tap_is "$status $STATUS $(sed -n 's/.*allocations and failures \([0-9,]*\) of \([0-9,]*\).*/\1 \2/p' "$OUT" | tr -d ,)" \
		"0 0 $checked $checked" "vector $name: all $checked answers agree"
}
if command -v zstd >/dev/null; then
	golden cluster-6.12/high-o0-p5000-f95-c4
	golden cluster-6.12/low-flat-p512-f100-c2
	golden cluster-6.18/low-cached-flat-p16384-f95-c4
	golden mthp-empty-only/high-o4-p16384-f100-c4
	golden nonfull-v1/low-flat-p5000-f95-c2
	golden scan-6.1/high-onoff-09-p33000-c4
	golden real-kernel/nonfull-v1-high-b4-c4
else
	for i in 1 2 3 4 5 6 7; do
		tap_skip "vectors of the kernel code" "zstd is not installed"
	done
fi

# --- shipped captures of real kernels -----------------------------------------------------------------
# They were made for readahead, so the allocator is replayed only when a policy asks for it; single slots only.
for name in 6.12-zram 6.1-cluster-swapoff; do
	run "$SWAPTRACE" replay -q --verify --policy allocator=cluster-6.18 "$TOP/traces/samples/$name.swaptrace"
	n=$("$SWAPTRACE" dump "$TOP/traces/samples/$name.swaptrace" 2>/dev/null | awk '$5 == "ALLOC"' | wc -l)
	tap_is "$STATUS $(sed -n 's/.*allocations and failures \([0-9,]*\) of \([0-9,]*\).*/\1 \2/p' "$OUT" | tr -d ,)" "0 $n $n" \
		"capture $name: the kernel's $n allocations are predicted"
done

# --- invariants on random traces -------------------------------------------------------------------------
# random SEED: folios of all orders, some refused and split, dropped in parts, through the swap cache or not. The
# recorded slots only ever go up, so that the trace is sound whatever the policies do.
random() {
	awk -v seed="$1" '
	function event(text) { t += 1000; print t, int(rand() * 4), 100, "task", text }
	function pick(n) { return int(rand() * n) }
	function place(order,   off) {
		off = int((next_off + 2 ^ order - 1) / 2 ^ order) * 2 ^ order
		next_off = off + 2 ^ order
		return off
	}
	function keep(off, n) { first[live] = off; len[live] = n; live++ }
	function swap_out(order,   folio, off, i) {
		folio = sprintf("0x%x", 65536 * (1 + pick(40)))
		event("SWAPOUT order=" order " folio=" folio)
		if (order == 0 || rand() < 0.7) {
			off = place(order)
			event("ALLOC order=" order " type=0 off=" off " folio=" folio)
			if (rand() < 0.5) event("CACHE type=0 off=" off " n=" 2 ^ order " by=swapout")
			if (rand() < 0.5) event("UNCACHE type=0 off=" off " n=" 2 ^ order " by=reclaim")
			keep(off, 2 ^ order)
			return
		}
		event("ALLOCFAIL order=" order " folio=" folio " reason=" (rand() < 0.2 ? "limit" : "space"))
		for (i = pick(2 ^ order < 40 ? 2 ^ order : 40); i > 0; i--) {
			event("SWAPOUT order=0 split_of=" folio)
			off = place(0)
			event("ALLOC order=0 type=0 off=" off)
			keep(off, 1)
		}
	}
	function drop(   k, n, off, how) {
		k = pick(live)
		n = 1 + pick(len[k]); off = first[k]
		if (rand() < 0.3) event("CACHE type=0 off=" off " n=" n " by=swapin")
		event("UNREF type=0 off=" off " n=" n " how=" (rand() < 0.5 ? "zap" : "swapin") " left=0")
		if (rand() < 0.8) event("UNCACHE type=0 off=" off " n=" n " by=free")
		if (n < len[k]) { first[k] += n; len[k] -= n; return }
		live--; first[k] = first[live]; len[k] = len[live]
	}
	BEGIN {
		srand(seed); next_off = 1; live = 0
		print "# swaptrace text 1"
		print "# release=6.12.0 page_size=4096 cpus=4"
		print "# device type=0 pages=60000 prio=-2 flags=ssd,blkdev"
		for (i = 0; i < 400; i++)
			if (live > 0 && rand() < 0.45) drop(); else swap_out(rand() < 0.5 ? 0 : pick(10))
	}' </dev/null >"$WORK/random"
}
printf 'type=0 pages=3000 prio=5\ntype=1 pages=2100 prio=5\ntype=2 pages=700 prio=1 flags=rotational,blkdev\n' >"$WORK/small"
for seed in 1 2 3; do
	random $seed
	for policy in "allocator=scan-6.1" "allocator=mthp-empty-only" "allocator=nonfull-v1" "allocator=cluster-6.12" \
		"allocator=cluster-6.18"; do
		echo "--policy $policy,devices=$WORK/small"
	done >"$WORK/policies"
	echo "--policy allocator=cluster-6.18,devices=$WORK/small,reserve=4:30" >>"$WORK/policies"
	# shellcheck disable=SC2046 # words are meant
	run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay -q --json $(cat "$WORK/policies") "$WORK/random"
	tap_is "$STATUS" 0 "random trace $seed: the invariants hold after every event under every policy"
done
# Something was tried: requests failed, and folios went out whole that had not.
tap_is "$(jq '[.results[].alloc.absorbed] | add > 0' "$OUT") $(jq '[.results[].alloc.invented] | add > 0' "$OUT")" "true true" \
	"with fallbacks turned around both ways"
tap_end
