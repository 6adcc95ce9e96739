#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A what-if that places data: everything behind it follows the data.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# counts FILE POLICY-ARGUMENTS...: calls, batches, pages read, hits, unused, bypassed of the first policy.
counts() {
	local file=$1
	shift
	"$SWAPTRACE" replay --json "$@" "$file" 2>/dev/null |
		jq -c '.results[0].readahead | [.calls, .batches, .pages_read, .hits, .unused, .bypassed]'
}
# lru FILE POLICY-ARGUMENTS...: drains, folios moved by them, folios added.
lru() {
	local file=$1
	shift
	"$SWAPTRACE" replay --json "$@" "$file" 2>/dev/null | jq -c '.results[0].lru | [.drains, .moved, .added]'
}

# Case V02: three tasks on three CPUs swap out 128 pages each in turn; then task 0 reads its own in order. Cluster
# mode, page-cluster 3. As recorded its pages are 1, 4, 7, ...: each is a stride away from the last, so that all
# windows but the first few are of one page.
v02() {
	echo '# swaptrace text 1'
	echo "# release=6.1.0 arch=x86_64 page_size=4096 cluster_slots=512 page_cluster=3 vma_ra=0 thp_swap=1 cpus=3"
	echo "# device type=0 pages=8193 prio=-2 flags=$1 name=/dev/sda2"
	awk 'BEGIN {
		for (i = 1; i <= 384; i++) {
			t = (i - 1) % 3
			printf "%d %d %d t%d SWAPOUT order=0 folio=%d\n", i * 1000, t, 100 + t, t, i
			printf "%d %d %d t%d ALLOC order=0 type=0 off=%d n=1 folio=%d via=direct\n", i * 1000 + 1, t, 100 + t, t, i, i
		}
		for (i = 1; i <= 384; i += 3)
			printf "%d 0 100 t0 LOOKUP type=0 off=%d cause=fault count=1\n", 1000000 + i * 1000, i
	}'
}
v02 ssd,blkdev >"$WORK/ssd.txt"
v02 rotational,blkdev >"$WORK/hdd.txt"

tap_plan 21
# The window rule of swapin_nr_pages() on the offsets 1, 4, 7 ... from boot: hits 4, window 8; see the script that
# found 126 calls, 136 pages, 2 hits, 8 unused.
tap_is "$(counts "$WORK/ssd.txt")" "[126,126,136,2,8,0]" "V02: as recorded"

# With one cluster for each CPU the 128 pages lie in a row: at 1 .. 128 (CPU 0 asked first, so it has the first
# cluster). Windows of 8, aligned: 1..7, then 8..15, ..., 128: 17 calls, of which each reads what it spans.
tap_is "$(counts "$WORK/ssd.txt" --policy allocator=cluster-6.18)" "[17,17,128,111,0,0]" \
	"V02: with a cluster for each CPU readahead finds the pages side by side"
# 6.12 gives the first slot of a device of this size at 512 (docs/kernel-facts.md#swapon): the row is aligned, 16 windows of 8.
tap_is "$(counts "$WORK/ssd.txt" --policy allocator=cluster-6.12)" "[16,16,128,112,0,0]" "V02: cluster-6.12 likewise"
# One CPU: one cluster, in the recorded order.
tap_is "$(counts "$WORK/ssd.txt" --policy allocator=cluster-6.18,cpus=1)" "[126,126,136,2,8,0]" \
	"V02: on one CPU they lie as they were recorded"
# On rotational devices kernels from 6.14 on have one place for all CPUs (docs/kernel-facts.md#allocator-614; the sources from 6.14 to 7.3), earlier ones scan.
run "$SWAPTRACE" replay --json --policy allocator=cluster-6.18 "$WORK/hdd.txt"
tap_is "$(jq -c '.results[0].readahead | [.calls, .pages_read, .hits, .unused]' "$OUT")" "[126,136,2,8]" \
	"V02: a rotational device has one row for all CPUs"
jq -r '.results[0].notes[]' "$OUT" >"$WORK/notes"
tap_grep 'rotational: cluster-6.18 gives its slots in one row to all CPUs' "$WORK/notes" "which is said"

# A device that becomes a zram: every need goes around the cache, whatever the allocator.
echo 'type=0 pages=8193 prio=-2 flags=ssd,sync_io,blkdev' >"$WORK/zram"
echo 'type=0 pages=8193 prio=-2 flags=ssd,blkdev' >"$WORK/ssd"
tap_is "$(counts "$WORK/hdd.txt" --policy "devices=$WORK/zram")" "[0,0,128,0,0,128]" "the zram variant: all bypassed"
tap_is "$(counts "$WORK/hdd.txt" --policy "devices=$WORK/zram,bypass=none")" "[0,0,128,0,0,0]" \
	"the zram variant without bypass: through the cache, page by page, without a call of readahead"
tap_is "$(counts "$WORK/hdd.txt" --policy "devices=$WORK/ssd,allocator=cluster-6.18")" "[17,17,128,111,0,0]" \
	"V02 on an SSD instead of the disk"

# Two devices: 64 slots of zram take requests 1 to 64, of which task 0 makes 22 (1, 4, ..., 64). Its other 106 pages
# lie in a row on the second device. The first request there is number 65, of CPU 1, which gets cluster 0; CPU 2
# gets cluster 1 and CPU 0 cluster 2, so the row begins aligned: 14 windows of 8 (the last has two pages).
printf '%s\n' 'type=0 pages=65 prio=10 flags=ssd,sync_io,blkdev' 'type=1 pages=8193 prio=5 flags=ssd,blkdev' >"$WORK/two"
tap_is "$(counts "$WORK/hdd.txt" --policy "devices=$WORK/two,allocator=cluster-6.18")" "[14,14,128,92,0,22]" \
	"two devices: what lies on the zram is bypassed, the rest is read ahead on the other"

# Slots for 300 pages of 384: the last 84 requests find none, of which task 0 makes 28 (384 - 84 = 300; 301, 304, ...
# 382). Its first 100 pages are needed, in 13 windows (1..7, 8..15, ..., 96..100).
echo 'type=0 pages=301 prio=-2 flags=ssd,blkdev' >"$WORK/small"
run "$SWAPTRACE" replay --json --policy "devices=$WORK/small,cpus=1" "$WORK/ssd.txt"
tap_is "$(jq -c '.results[0] | [.alloc.unplaced, .readahead.lookups]' "$OUT")" "[84,100]" \
	"data that found no slot is not needed"

# Without requests nobody knows where the data would lie.
grep -v 'SWAPOUT\|ALLOC' "$WORK/ssd.txt" >"$WORK/needs.txt"
run "$SWAPTRACE" replay --json --policy allocator=cluster-6.18 "$WORK/needs.txt"
tap_is "$(jq -c '.results[0].readahead | [.calls, .pages_read, .lookups, .windows]' "$OUT")" "[null,null,null,null]" \
	"an allocator that has nothing to place: unknown, not the recorded value"
jq -r '.results[0].notes[]' "$OUT" >"$WORK/notes"
tap_grep 'no requests for slots' "$WORK/notes" "and said why"
tap_is "$(counts "$WORK/needs.txt" --policy "devices=$WORK/zram")" "[0,0,128,0,0,128]" \
	"other devices can be followed all the same: data of the start stays where it was"

# Drains behind windows. Readahead of 16 pages in windows of 8 (fixed) on a task whose pages lie in a row: 2 windows,
# 2 drains, 16 folios added and moved. As recorded: page by page without readahead, 16 additions and no drain.
{
	echo '# swaptrace text 1'
	echo '# release=6.12.0 page_size=4096 page_cluster=0 vma_ra=0 cpus=1'
	echo '# device type=0 pages=1025 flags=ssd,blkdev'
	echo '# loss n=0'
	echo '1 0 7 other LRUADD op=add n=1'
	for i in $(seq 8 23); do
		echo "${i}000 0 9 task LOOKUP type=0 off=$i cause=fault count=1 hit=0"
		echo "${i}001 0 9 task LRUADD op=add n=1"
		echo "${i}002 0 9 task READ type=0 off=$i n=1 cause=demand"
	done
	echo '90000 0 7 other DRAIN site=shrink_inactive_list add=17'
} >"$WORK/lru.txt"
tap_is "$(lru "$WORK/lru.txt")" "[1,17,17]" "batches: as recorded"
# The folio of another task goes with the first window: 9 + 8; the drain by reclaim finds nothing.
tap_is "$(lru "$WORK/lru.txt" --policy readahead=fixed:8)" "[3,17,17]" "batches: windows drain behind themselves"
run "$SWAPTRACE" replay --json --policy readahead=fixed:8 "$WORK/lru.txt"
tap_is "$(jq -c '.results[0].lru | [.sites, .moved_by_site]' "$OUT")" \
	'[{"swap_cluster_readahead":2,"shrink_inactive_list":1},{"swap_cluster_readahead":17,"shrink_inactive_list":0}]' "batches: which site, and what it moves"
# The other way round: recorded windows are not those of a policy without readahead.
{
	echo '# swaptrace text 1'
	echo '# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0 cpus=1'
	echo '# device type=0 pages=1025 flags=ssd,blkdev'
	echo '# loss n=0'
	for w in 8 16; do
		echo "${w}000 0 9 task LOOKUP type=0 off=$w cause=fault count=1 hit=0"
		for i in $(seq 0 7); do
			echo "${w}00$i 0 9 task LRUADD op=add n=1"
			echo "${w}00$i 0 9 task READ type=0 off=$((w + i)) n=1 cause=$([ "$i" -eq 0 ] && echo demand || echo ra)"
		done
		echo "${w}009 0 9 task DRAIN site=swap_cluster_readahead add=8"
		for i in $(seq 1 7); do
			echo "${w}01$i 0 9 task LOOKUP type=0 off=$((w + i)) cause=fault count=1 hit=1 ra=1"
		done
	done
} >"$WORK/windows.txt"
tap_is "$(lru "$WORK/windows.txt")" "[2,16,16]" "batches: recorded windows as recorded"
tap_is "$(lru "$WORK/windows.txt" --policy readahead=none)" "[0,0,16]" "batches: without windows nothing drains"

# Case 6: four folios of order 4; A is touched whole, B in pages 3 and 9, C not, D whole. On a synchronous device.
{
	echo '# swaptrace text 1'
	echo '# release=6.12.0 page_size=4096 cluster_slots=512 page_cluster=3 vma_ra=0 thp_swap=1 cpus=1'
	echo '# device type=0 pages=1025 flags=ssd,sync_io,blkdev'
	for f in 1 2 3 4; do
		echo "${f}000 0 9 task SWAPOUT order=4 folio=$f"
		echo "${f}001 0 9 task ALLOC order=4 type=0 off=$((f * 16)) n=16 folio=$f via=direct"
	done
	t=10000
	for off in $(seq 16 31) 35 41 $(seq 64 79); do
		echo "$((t++)) 0 9 task LOOKUP type=0 off=$off cause=fault count=1"
	done
} >"$WORK/case6.txt"
order() {
	"$SWAPTRACE" replay --json --policy "swapin-order=$1" "$WORK/case6.txt" | jq -c '.results[0].readahead | [.lookups, .pages_read, .unused]'
}
tap_is "$(order 0)/$(order whole)/$(order cap:2)" "[34,34,0]/[3,48,14]/[10,40,6]" \
	"case 6: page by page, whole, and up to order 2: faults, pages read, unused"
run "$SWAPTRACE" replay --policy swapin-order=half "$WORK/case6.txt"
tap_is "$STATUS" 2 "another swapin-order is a usage error"
tap_end
