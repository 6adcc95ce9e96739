#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several swap devices side by side in a report: case 27 of the list of real-world cases (a fast device full of cold pages).
# Expected values are the case's own or follow from the calculation beside them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 25
cd "$WORK" || exit 1

header() {
	cat <<END2
# swaptrace text 1
# release=6.12.0 page_size=4096 cpus=1
# device type=0 pages=$1 prio=100 flags=ssd,sync_io,blkdev name=/dev/zram0
# device type=1 pages=$2 prio=10 flags=ssd,blkdev name=/dev/nvme0n1p2
END2
}

use() {
	"$SWAPTRACE" report -q --format json "$1" 2>/dev/null | jq -c ".results[0].device_use | $2"
}

# --- case 27 -----------------------------------------------------------------------------------------
# zram0 gets its 12,000 slots one every 10 ms: full at 120 s. Swap-ins: 3,000 from it before, 12,400 after; 57,600 from
# the disk. Every page of the disk is needed 29 s after it went out, give or take 0.1 s.
{
	header 12001 60001
	awk 'function at(t, text) { printf "%.0f 0 100 task %s\n", t, text }
	BEGIN {
		for (i = 1; i <= 12000; i++) {
			at(i * 1e7, "ALLOC order=0 type=0 off=" i)
			if (i > 9000)
				at(i * 1e7 - 1, "LOOKUP type=0 off=" i - 9000 " cause=fault hit=0")
		}
		for (i = 1; i <= 57600; i++)
			at(121e9 + i * 1e6, "ALLOC order=0 type=1 off=" i)
		for (i = 1; i <= 57600; i++)
			at(150e9 + i * 1e6, "LOOKUP type=1 off=" i " cause=fault hit=0")
		for (i = 1; i <= 12400; i++)
			at(210e9 + i * 1e6, "LOOKUP type=0 off=" (i - 1) % 12000 + 1 " cause=fault hit=0")
	}'
} >case27
run "$SWAPTRACE" report -q case27
tap_grep '^inversion index: 82\.29 %; .* full from 120\.0 s on, and of 70,000 swap-ins meanwhile 57,600 came' "$OUT" \
	"case 27: 82.29 % of the swap-ins since 120 s are from the slower device"
tap_grep '^whole trace: 78\.90 %, 57,600 of 73,000 swap-ins' "$OUT" "case 27: the whole trace has 78.90 %"
# 3,000 + 12,400 = 15,400 of 73,000
tap_grep '^case27 +0 +/dev/zram0 +100 +12,000 +12,000 +12,000 +100\.00 % +15,400 +21\.10 %' "$OUT" \
	"case 27: capacity, fill, allocations and swap-ins of the fast one"
# 57,600 of 60,000
tap_grep '^case27 +1 +/dev/nvme0n1p2 +10 +60,000 +57,600 +57,600 +96\.00 % +57,600 +78\.90 % +29\.000 +16\.384 s to 32\.768 s$' \
	"$OUT" "case 27: and of the slower, with the age of its pages"
tap_grep 'no FREE events: slots count as used until its end' "$OUT" "what the trace does not tell is said"
tap_is "$(use case27 '[.swapins, .slower, .swapins_full, .slower_full, .full_from_ns]')" \
	"[73000,57600,70000,57600,120000000000]" "case 27: the same in JSON"
tap_is "$(use case27 '[.devices[] | [.type, .slots, .given, .swapins]]')" "[[0,12000,12000,15400],[1,60000,57600,57600]]" \
	"case 27: and by device"
tap_is "$(use case27 '.devices[1] | [.aged, .age_ms]')" "[57600,1670400000]" "case 27: 57,600 times 29,000 ms"
run "$SWAPTRACE" report -q --format csv case27
tap_grep '^case27,1,/dev/nvme0n1p2,10,60000,57600,57600,96' "$OUT" "case 27: and in CSV"
run "$SWAPTRACE" report -q -o case27.d case27
if command -v gnuplot >/dev/null; then
	status=0
	[ -s case27.d/devices.svg ] && grep -q 'devices-' case27.d/report.html || status=1
	tap_ok $status "case 27: over time it is a picture"
else
	tap_skip "case 27: over time it is a picture" "no gnuplot"
fi
# Slices of 1 ms, joined in pairs until 256 of them reach from 10 ms to 222.4 s: 2^10 ms. Slice 78 ends 79 * 1.024 s
# after the first event, at 80.906 s: zram has 8,090 of 12,000 slots then, the disk none.
tap_is "$(awk '/^#/ { n = split($0, w, " ") } $1 > 79.8 && $1 < 79.9 { print $2 }' case27.d/devices.dat | tr '\n' ' ')" \
	"0 0 67.41666667 0 " "case 27: how full they are at 80 s"

# --- slots come and go -------------------------------------------------------------------------------
# 10 slots; two of them are free again: a tenth and more, so it is not full any more; then it is, once more.
{
	header 11 1001
	for i in $(seq 10); do
		echo "$((i * 1000)) 0 100 task ALLOC order=0 type=0 off=$i"
	done
	echo "11000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
	echo "12000 0 100 task FREE type=0 off=1 n=1"
	echo "13000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
	echo "14000 0 100 task FREE type=0 off=2 n=1"
	echo "15000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
	echo "16000 0 100 task ALLOC order=1 type=0 off=1 n=2"
	echo "17000 0 100 task LOOKUP type=0 off=3 cause=fault hit=0"
	echo "18000 0 100 task LOOKUP type=0 off=3 cause=fault hit=1"
	echo "19000 0 100 task LOOKUP type=0 off=4 cause=swapoff hit=0"
} >again
run "$SWAPTRACE" report -q again
# full: swap-ins at 11, 13, 17 us, of them two from the disk; all: 3 of 4
tap_grep '^inversion index: 66\.67 %; .* full from 0\.0 s on \(2 times\), and of 3 swap-ins meanwhile 2 ' "$OUT" \
	"a device that empties by more than a tenth is not full"
tap_grep '^whole trace: 75\.00 %, 3 of 4 ' "$OUT" "hits of the swap cache and swapoff's own needs are no swap-ins"
tap_is "$(use again '.devices[0] | [.given, .used, .peak]')" "[12,10,10]" "slots that were freed can be given again"
tap_grep_none 'no FREE events' "$OUT" "and the trace tells of them"

# --- a snapshot, a device that leaves ------------------------------------------------------------------
{
	header 11 1001
	echo "1000 0 100 task SLOTS type=0 off=1 n=10"
	echo "2000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
	echo "3000 0 100 task SWAPOFF op=begin type=0"
	echo "4000 0 100 task LOOKUP type=0 off=7 cause=shmem hit=0"
	echo "5000 0 100 task SWAPOFF op=end type=0 ret=0"
	echo "6000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
} >leaves
run "$SWAPTRACE" report -q leaves
tap_grep '^inversion index: 100\.00 %; .* of 1 swap-ins meanwhile 1 ' "$OUT" "slots in use at the start count"
tap_grep '^whole trace: 100\.00 %, 1 of 1 ' "$OUT" "without the fast device there is no slower one"
tap_is "$(use leaves '[.devices[] | [.used, .swapins]]')" "[[0,0],[null,2]]" \
	"what it held is gone with it; no slot of the other was seen, which is not 0"

# --- nothing to compare --------------------------------------------------------------------------------
{
	header 11 1001
	echo "2000 0 100 task LOOKUP type=1 off=7 cause=fault hit=0"
} >empty
run "$SWAPTRACE" report -q empty
tap_grep '^inversion index: n/a, .* was never seen full' "$OUT" "without a full device there is no index"
tap_grep '^empty +0 .* 10 +0 +n/a +n/a +0 +0\.00 % +n/a +n/a' "$OUT" "what is not known is n/a"
sed 's/prio=100/prio=10/' again >equal
run "$SWAPTRACE" report -q equal
tap_grep '^Swap devices' "$OUT" "devices of equal priority are listed"
tap_grep_none 'inversion' "$OUT" "but neither is the faster one"
sed '4d; /type=1/d' again >single
run "$SWAPTRACE" report -q single
tap_grep_none '^Swap devices' "$OUT" "one device is not compared"
tap_is "$(use single .)" null "nor in JSON"
run "$SWAPTRACE" report -q --format csv case27 again
tap_grep '^B again,0,/dev/zram0,100,10,12,10,' "$OUT" "two traces side by side"
tap_end
