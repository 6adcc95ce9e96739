#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Replays of small texts: cases 7, 8, 17, 20, 26, 38, 40, 43, 44 of the list of real-world cases, the walks of a swapoff,
# --verify in both directions, policies and start states. Expected values are the cases' own unless a line says how
# they follow.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 119

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
	} >"$WORK/$1"
}

CLUSTER='# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0'

# windows FILE N ARGS...: the window histogram of result N as {1: 2, ...}
windows() {
	local file=$1 n=$2
	shift 2
	"$SWAPTRACE" replay -q --json "$@" "$WORK/$file" 2>/dev/null |
		jq -r "[(.results | sort_by(.policy != \"recorded\"))[$n].readahead.windows | to_entries[] | \"\(.key): \(.value)\"] | \"{\" + join(\", \") + \"}\""
}

# counts FILE N KEYS ARGS...: the named counts of result N, separated by blanks
counts() {
	local file=$1 n=$2 keys=$3
	shift 3
	"$SWAPTRACE" replay -q --json "$@" "$WORK/$file" 2>/dev/null |
		jq -r "(.results | sort_by(.policy != \"recorded\"))[$n].readahead | [$(echo "$keys" | sed 's/[^ ]*/.&/g; s/ /, /g')] | map(tostring) | join(\" \")"
}

# lookups CAUSE FIRST LAST STEP
lookups() {
	seq "$2" "$4" "$3" | sed "s/.*/LOOKUP type=0 off=& cause=$1/"
}

# --- case 7: page-cluster limits both modes; VMA windows stop at 32 ---------------------------
for off in $(seq 512 767); do
	printf 'LOOKUP type=0 off=%d cause=fault vma=1 addr=%#x vma_start=0x7f0000000000 vma_end=0x7f0000100000\n' \
		"$off" $((0x7f0000000000 + 4096 * (off - 512)))
done | trace case7 "$CLUSTER"
VMA=readahead=vma
tap_is "$(windows case7 1 --init-hits 0 --policy $VMA,page-cluster=0)" "{1: 256}" "case 7: VMA, page-cluster 0 is off"
tap_is "$(windows case7 1 --init-hits 0 --policy page-cluster=0)" "{1: 256}" "case 7: cluster, page-cluster 0 is off"
tap_is "$(windows case7 1 --init-hits 0 --policy $VMA)" "{8: 33}" "case 7: VMA, page-cluster 3"
for pc in 5 6 8; do
	tap_is "$(windows case7 1 --init-hits 0 --policy $VMA,page-cluster=$pc)" "{8: 2, 16: 1, 32: 8}" \
		"case 7: VMA, page-cluster $pc"
done
tap_is "$(windows case7 0 --init-hits 0)" "{1: 1, 2: 2, 4: 1, 8: 31}" "case 7: cluster, page-cluster 3"
tap_is "$(windows case7 1 --init-hits 0 --policy page-cluster=5)" "{1: 1, 2: 2, 4: 1, 8: 1, 16: 1, 32: 7}" \
	"case 7: cluster, page-cluster 5"
tap_is "$(windows case7 1 --init-hits 0 --policy page-cluster=6)" "{1: 1, 2: 2, 4: 1, 8: 1, 16: 1, 32: 1, 64: 3}" \
	"case 7: cluster, page-cluster 6"
tap_is "$(windows case7 1 --init-hits 0 --policy page-cluster=8)" \
	"{1: 1, 2: 2, 4: 1, 8: 1, 16: 1, 32: 1, 64: 1, 128: 1}" "case 7: cluster, page-cluster 8"

# --- case 8: what a readahead hit is --------------------------------------------------------
trace case8 "$CLUSTER" <<-END
	SLOTS type=0 off=16 n=1
	SLOTS type=0 off=17 n=1 cached=1
	SLOTS type=0 off=18 n=2
	SLOTS type=0 off=22 n=2
	LOOKUP type=0 off=18 cause=fault
	LOOKUP type=0 off=16 cause=fault
	LOOKUP type=0 off=19 cause=fault
	LOOKUP type=0 off=16 cause=fault
END
tap_is "$(windows case8 0)" "{8: 1}" "case 8: one call, window 8 (hits 4 at the start)"
tap_is "$(counts case8 0 "calls pages_read ra_pages hits")" "1 5 4 2" "case 8: 5 pages read, 4 by readahead, 2 hits"

# --- PG_reclaim and PG_readahead are one bit: a lookup of a page that is being written out may find the mark, and the
# kernel counts a hit. Hits 0 + 1 make the next window 4 (docs/kernel-facts.md#vectors: hits 1 -> 4); without it, it is 1.
trace writeout "$CLUSTER" <<-END
	SLOTS type=0 off=1000 n=8
	CACHE type=0 off=50 by=swapout
	LOOKUP type=0 off=50 cause=fault hit=1 ra=1
	LOOKUP type=0 off=1003 cause=fault hit=0
END
tap_is "$(windows writeout 0 --init-hits 0)" "{4: 1}" "a mark on a page being written out counts as a hit"
tap_is "$(counts writeout 0 "hits writeout_hits ra_pages" --init-hits 0)" "0 1 3" "but is told apart from readahead hits"

# --- A recording that begins mid-way: the snapshot tells what is cached, the first lookup whether it was read ahead.
trace midway "$CLUSTER" <<-END
	SLOTS type=0 off=1000 n=8
	SLOTS type=0 off=50 n=1 cached=1
	LOOKUP type=0 off=50 cause=fault hit=1 ra=1
	LOOKUP type=0 off=1003 cause=fault hit=0
	RA mode=cluster type=0 off=1003 ret=4
END
run "$SWAPTRACE" replay --verify --init-hits 0 "$WORK/midway"
tap_grep 'verify: 3 of 3 decisions agree' "$OUT" "midway: the mark of a page cached at the snapshot counts"

# --- Without device flags, vma_ra does not decide: the recorded calls show that cluster readahead ran.
trace blind '# release=6.12.0 page_cluster=3 vma_ra=1' <<-END
	LOOKUP type=0 off=1000 cause=fault vma=1 addr=0x7f0000000000 hit=0
	RA mode=cluster type=0 off=1000 ret=8
END
run "$SWAPTRACE" replay --verify "$WORK/blind"
tap_grep 'verify: 2 of 2 decisions agree' "$OUT" "unknown device flags: the mode is taken from the recorded calls"

# --- A fork adds a reference that no event shows: the count at the lookup keeps the slot readable after one drop, so
# that the next window of 8 (slots 1000 to 1007) reads it as a neighbour.
trace fork "$CLUSTER" <<-END
	ALLOC order=0 type=0 off=1001
	CACHE type=0 off=1001 by=swapout
	LOOKUP type=0 off=1001 cause=fault count=2
	UNREF type=0 off=1001 n=1 how=swapin
	UNCACHE type=0 off=1001 by=reclaim
	LOOKUP type=0 off=1000 cause=fault count=1
END
tap_is "$(counts fork 1 "pages_read ra_pages" --policy readahead=fixed:8)" "2 1" \
	"a shared slot is still in use after one of its references was dropped"

# --- Under VMA readahead the pages of a forked process are known by the VMA that needed them first: VMA 1 reads slot 8
# and, in its window of 8 pages, slot 9, of which only VMA 2 is seen; they share slot 8, and two refer to slot 9.
trace twins '# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=1\n# device type=0 pages=1025 flags=ssd,blkdev' <<-END
	SLOTS type=0 off=8 n=2 count=2
	LOOKUP type=0 off=8 cause=fault vma=1 addr=0x10000 vma_start=0x10000 vma_end=0x20000 count=2
	LOOKUP type=0 off=8 cause=fault vma=2 addr=0x10000 vma_start=0x10000 vma_end=0x20000 count=1
	LOOKUP type=0 off=9 cause=fault vma=2 addr=0x11000 vma_start=0x10000 vma_end=0x20000 count=2
END
tap_is "$(counts twins 0 "calls pages_read ra_pages hits")" "1 2 1 1" "neighbours that a fork shares are found"
# ... and that the first call of one of them was recorded, in the state of a new VMA, makes no difference.
{
	cat "$WORK/twins"
	echo '900000 0 1 a RA mode=vma type=0 off=8 vma=1 addr=0x10000 ret=8 hits=4 prev=0 last=0'
} >"$WORK/twins_call"
tap_is "$(counts twins_call 0 "calls pages_read ra_pages hits")" "1 2 1 1" "also where a call of theirs was recorded"

# --- An event outside the device is one event, whether or not the owners of slots are followed.
for addr in '' 'vma=1 addr=0x10000'; do
	trace outside '# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=1\n# device type=0 pages=1025 flags=ssd,blkdev' <<-END
		ALLOC order=0 type=0 off=2000
		LOOKUP type=0 off=8 cause=fault $addr
	END
	run "$SWAPTRACE" replay "$WORK/outside"
	tap_grep '[^0-9]1 events name slots outside' "$OUT" "an event outside the device counts once${addr:+, with owners}"
done

# --- A text with RA lines alone: nothing to replay, but the recorded windows are the recorded policy's.
printf '# swaptrace text 1\n1 0 1 a RA ret=8\n2 0 1 a RA ret=8\n3 0 1 a RA ret=1\n4 0 1 a RA mode=vma ret=4\n' >"$WORK/windows"
tap_is "$(windows windows 0)" "{1: 1, 4: 1, 8: 2}" "RA lines alone give the histogram"
tap_is "$(counts windows 0 "calls drains pages_read")" "4 3 null" "and what they do not tell is unknown"
tap_is "$(counts windows 1 "calls pages_read" --policy page-cluster=2)" "null null" "a what-if of them is not known"

# --- case 51: missing return values travel into the replay -------------------------------------
for missed in 38 0; do
	trace "case51-$missed" "$CLUSTER\n# probe event=RA symbol=swapin_nr_pages kind=kretprobe runs=9962 entries=10000 missed=$missed" <<-END
		LOOKUP type=0 off=1000 cause=fault
	END
	run "$SWAPTRACE" replay "$WORK/case51-$missed"
	tap_grep '38 of 10,000 return values missing \(0\.38 %\)' "$OUT" "case 51: nmissed=$missed, the loss is in the replay"
	run "$SWAPTRACE" replay --json "$WORK/case51-$missed"
	tap_is "$(jq '[.results[0].notes[] | select(test("38 of 10,000 return values missing"))] | length' "$OUT")" 1 \
		"case 51: nmissed=$missed, and in the JSON"
done
tap_grep 'not accounted for by nmissed' "$OUT" "case 51: nmissed=0 does not account for it"

# --- case 17: a swapoff that was killed is incomplete ----------------------------------------
{
	printf '# swaptrace text 1\n%s\n' "$CLUSTER"
	echo "2000000000 0 9 swapoff SWAPOFF op=begin type=1"
	seq 1 300 | awk '{ printf "%.0f 0 9 swapoff LOOKUP type=1 off=%d cause=swapoff\n", 2e9 + 7.4e9 * $1 / 300, $1 }'
	echo "30000000000 0 5 init LOOKUP type=0 off=7 cause=fault"
} >"$WORK/case17"
run "$SWAPTRACE" report "$WORK/case17"
tap_grep 'swapoff type 1: incomplete, 300 pages in 7\.4 s \(40\.5 pages/s\), last progress at 9\.4 s' "$OUT" \
	"case 17: the report says incomplete, pages, rate and last progress"
run "$SWAPTRACE" replay --json "$WORK/case17"
tap_is "$(jq -c '.results[0].swapoffs[0] | [.type, .complete, .pages]' "$OUT")" "[1,false,300]" \
	"case 17: the replay's result holds it as not complete"

# --- case 20: settings that change inside a trace --------------------------------------------
{
	printf '# swaptrace text 1\n# release=6.12.0 page_cluster=3 vma_ra=1\n'
	seq 1 40 | awk '{ printf "%.0f 0 9 a RA mode=vma ret=8\n", $1 * 1e8 }'
	echo "5000000000 0 9 sh CONFIG page_cluster=8 vma_ra=0"
	seq 1 12 | awk '{ printf "%.0f 0 9 a RA mode=cluster ret=256\n", 5e9 + $1 * 1e8 }'
	seq 1 3 | awk '{ printf "%.0f 0 9 a RA mode=cluster ret=128\n", 7e9 + $1 * 1e8 }'
	echo "9000000000 0 9 sh CONFIG page_cluster=3 vma_ra=1"
} >"$WORK/case20"
run "$SWAPTRACE" report "$WORK/case20"
tap_is "$STATUS" 0 "case 20: no error about windows above 1 << page_cluster"
tap_grep 'settings' "$OUT" "case 20: the phases are reported and the mixture is warned of"
run "$SWAPTRACE" report --json "$WORK/case20"
tap_is "$(jq -c '[.results[0].phases[] | select((.cluster_windows + .vma_windows) != {}) | [.vma_windows, .cluster_windows]]' "$OUT")" \
	'[[{"8":40},{}],[{},{"128":3,"256":12}]]' "case 20: two phases, {8: 40} vma and {128: 3, 256: 12} cluster"

# --- case 26: page-cluster on one trace -------------------------------------------------------
{
	echo "SLOTS type=0 off=1 n=4095 count=1 cached=0"
	for off in $(seq 64 73) $(seq 1024 1033) $(seq 2048 2057) $(seq 3000 3009) \
		17 3900 700 2500 900 3333 1500 222 3700 40; do
		echo "LOOKUP type=0 off=$off cause=fault count=1"
	done
} >"$WORK/case26.events"
trace case26 "$CLUSTER\n# device type=0 pages=4096 flags=rotational,blkdev" <"$WORK/case26.events"
trace case26s "$CLUSTER\n# device type=0 pages=4096 flags=ssd,sync_io,blkdev" <"$WORK/case26.events"
KEYS="calls pages_read ra_pages hits unused drains"
tap_is "$(counts case26 1 "$KEYS" --init-hits 0 --policy page-cluster=0)" "50 50 0 0 0 0" "case 26: page-cluster 0"
tap_is "$(counts case26 1 "$KEYS" --init-hits 0 --policy page-cluster=1)" "31 51 20 19 1 21" "case 26: page-cluster 1"
tap_is "$(counts case26 1 "$KEYS" --init-hits 0 --policy page-cluster=2)" "24 62 38 26 12 15" "case 26: page-cluster 2"
for pc in 3 4 5; do
	tap_is "$(counts case26 1 "$KEYS" --init-hits 0 --policy page-cluster=$pc)" "24 78 54 26 28 15" \
		"case 26: page-cluster $pc"
done
tap_is "$(windows case26 1 --init-hits 0 --policy page-cluster=1)" "{1: 10, 2: 21}" "case 26: windows, page-cluster 1"
tap_is "$(windows case26 1 --init-hits 0 --policy page-cluster=2)" "{1: 9, 2: 3, 4: 12}" "case 26: windows, page-cluster 2"
tap_is "$(windows case26 0 --init-hits 0)" "{1: 9, 2: 3, 4: 5, 8: 7}" "case 26: windows, page-cluster 3"
tap_is "$(counts case26s 0 "calls bypassed")" "0 50" "case 26: a synchronous device is bypassed"
tap_is "$(counts case26s 1 "calls bypassed" --policy page-cluster=5)" "0 50" "case 26: whatever the page-cluster"

# --- case 38: one prev_offset for all devices ----------------------------------------------------
trace case38 "$CLUSTER" <<-END
	LOOKUP type=0 off=100 cause=fault
	LOOKUP type=1 off=101 cause=fault
	LOOKUP type=0 off=500 cause=fault
	LOOKUP type=1 off=501 cause=fault
	LOOKUP type=0 off=499 cause=fault
END
tap_is "$(windows case38 0 --init-hits 0)" "{1: 3, 2: 2}" "case 38: global 1, 2, 1, 2, 1"
tap_is "$(windows case38 1 --init-hits 0 --policy prev=per-device)" "{1: 4, 2: 1}" "case 38: per device 1, 1, 1, 1, 2"

# --- case 43: first slot and end of the device: the window is not what is read ---------------------
# init-hits 4 gives windows of 8; fixed windows stand for the case's direct calls.
trace case43 "$CLUSTER\n# device type=0 pages=100 flags=rotational,blkdev" <<-END
	SLOTS type=0 off=1 n=99
	LOOKUP type=0 off=3 cause=fault
	LOOKUP type=0 off=98 cause=fault
END
tap_is "$(counts case43 1 "calls pages_read" --policy readahead=fixed:8)" "2 11" \
	"case 43: slots 1-7 and 96-99: windows of 8 read 7 and 4 pages"
tap_is "$(windows case43 1 --policy readahead=fixed:8)" "{8: 2}" "case 43: the windows are 8 all the same"
{
	cat "$WORK/case43"
	echo "9000 0 100 task LOOKUP type=0 off=97 cause=swapoff"
} >"$WORK/case43c"
tap_is "$(counts case43c 1 "calls pages_read" --policy readahead=fixed:32,swapoff=vanilla)" "3 35" \
	"case 43: window 32 at 97 finds 96-99 cached (31 + 4 + 0 pages)"

# --- case 44: forward, reverse, stride -----------------------------------------------------------------
lookups swapoff 64 95 1 | trace forward "$CLUSTER"
lookups swapoff 95 64 -1 | trace reverse "$CLUSTER"
lookups swapoff 1000 1062 2 | trace stride "$CLUSTER"
for way in forward reverse; do
	tap_is "$(windows $way 1 --init-hits 0 --policy swapoff=vanilla)" "{1: 1, 2: 31}" "case 44: $way, vanilla"
	tap_is "$(windows $way 0 --init-hits 0)" "{1: 1, 2: 2, 4: 1, 8: 3}" "case 44: $way, lookup first"
	tap_is "$(counts $way 0 "hits drains" --init-hits 0)" "25 6" "case 44: $way, hits and drains"
done
tap_is "$(windows stride 0 --init-hits 0)" "{1: 32}" "case 44: stride 2"
tap_is "$(counts stride 1 "calls hits drains" --init-hits 0 --policy swapoff=vanilla)" "32 0 0" "case 44: stride 2, vanilla"

# --- docs/kernel-facts.md#vectors: swapoff of 4096 consecutive slots from 512 on, fresh state ---------------------------
lookups swapoff 512 4607 1 | trace walk "$CLUSTER"
tap_is "$(windows walk 0)" "{8: 512}" "walk: 5.8 to 6.17"
tap_is "$(windows walk 1 --policy swapoff=vanilla)" "{2: 4094, 4: 1, 8: 1}" "walk: before 5.8"
tap_is "$(windows walk 1 --policy model=v6.18)" "{1: 1021, 2: 2042, 4: 1, 8: 1}" "walk: 6.18"
tap_is "$(counts walk 1 "ra_pages hits" --policy model=v6.18)" "1031 0" "walk: 6.18 reads ahead 1031 pages, counts none"

run "$SWAPTRACE" replay --json --policy swapoff=vanilla --policy model=v6.18 "$WORK/walk"
tap_is "$(jq -c '[.results[].policy]' "$OUT")" '["swapoff=vanilla","model=v6.18","recorded"]' \
	"JSON: the policies in the order they were named, then the recorded one"
run "$SWAPTRACE" replay -q --verify --json --policy swapoff=vanilla "$WORK/walk"
tap_is "$(jq -c '[.results[].policy]' "$OUT")" '["recorded","swapoff=vanilla"]' "JSON: with --verify it comes first"

# --- --verify -----------------------------------------------------------------------------------------------
# Windows from the boot state as docs/kernel-facts.md#vectors gives them: 1000 -> 8, 1001 -> 4 (1001 is in the first block, but is
# asked for by a call here: vanilla swapoff), 5000 -> 2 (half of 4), 5001 -> 2 (next to 5000).
verify_text() {
	trace "$1" '# release=5.6.0 page_cluster=3 vma_ra=0' <<-END
		SLOTS type=0 off=1000 n=2
		SLOTS type=0 off=5000 n=2
		LOOKUP type=0 off=1000 cause=swapoff
		RA mode=cluster type=0 off=1000 ret=8
		READ type=0 off=1000 cause=demand
		READ type=0 off=1001 cause=ra
		LOOKUP type=0 off=1001 cause=swapoff
		RA mode=cluster type=0 off=1001 ret=$2
		LOOKUP type=0 off=5000 cause=swapoff
		RA mode=cluster type=0 off=5000 ret=2
		READ type=0 off=5000 cause=demand
		READ type=0 off=5001 cause=ra
		LOOKUP type=0 off=5001 cause=swapoff
		RA mode=cluster type=0 off=5001 ret=2
	END
}
verify_text good 4
run "$SWAPTRACE" replay --verify "$WORK/good"
tap_is "$STATUS" 0 "verify: agreement is exit 0"
tap_grep 'verify: 8 of 8 decisions agree \(100\.00 %\)' "$OUT" "verify: 4 windows and 4 reads are counted"
verify_text bad 2
run "$SWAPTRACE" replay --verify "$WORK/bad"
tap_is "$STATUS" 1 "verify: a wrong window is exit 1"
tap_grep 'RA: recorded mode=cluster off=1001 ret=2; predicted mode=cluster ret=4' "$OUT" "verify: and it is shown"
# CPU 1 drops slot 1001 just after CPU 0 has read the window around 1000: the drop may have come first.
for cpu in 1 0; do
	{
		printf '# swaptrace text 1\n%s cpus=2\n' "$CLUSTER"
		echo "100 0 7 a SLOTS type=0 off=1000 n=2"
		echo "200 0 7 a LOOKUP type=0 off=1000 cause=fault hit=0"
		echo "210 0 7 a RA mode=cluster type=0 off=1000 ret=8"
		echo "220 0 7 a READ type=0 off=1000 cause=demand"
		echo "225 0 7 a UNREF type=0 off=1000 n=1 how=swapin left=0"
		echo "230 $cpu 8 b UNREF type=0 off=1001 n=1 how=zap left=0"
		echo "300 0 7 a LOOKUP type=0 off=1000 cause=fault hit=1"
	} >"$WORK/race$cpu"
done
run "$SWAPTRACE" replay --verify --json "$WORK/race1"
tap_is "$(jq -c '.results[0].verify | [.checked, .agreed, .explained]' "$OUT")" "[5,4,1]" \
	"verify: a read prevented by another CPU is explained by the order of events"
run "$SWAPTRACE" replay --verify --json "$WORK/race0"
tap_is "$(jq -c '.results[0].verify | [.checked, .agreed, .explained]' "$OUT")" "[5,4,0]" \
	"verify: on one CPU it is not"
# A call that sleeps before it comes to a slot does not read what another task has freed (1001) or put into the
# cache (both wait for 1000) meanwhile; but what it has passed (1000, before 1001) or what changes when it is over is
# its own omission. Reads of one slot alone: page_cluster=0.
sleeper() {
	{
		printf '# swaptrace text 1\n%b cpus=1\n' "$2"
		echo "100 0 7 a SLOTS type=0 off=1000 n=2 count=2"
		cat
		echo "900 0 7 a LOOKUP type=0 off=1000 cause=fault hit=1"
	} >"$WORK/$1"
	run "$SWAPTRACE" replay --verify --json "$WORK/$1"
	jq -c '.results[0].verify | [.checked, .agreed]' "$OUT"
}
tap_is "$(sleeper freed "$CLUSTER" <<-END
	200 0 7 a LOOKUP type=0 off=1000 cause=fault hit=0
	210 0 7 a RA mode=cluster type=0 off=1000 ret=8
	220 0 7 a READ type=0 off=1000 cause=demand
	230 0 8 b UNREF type=0 off=1001 n=1 how=zap left=0
END
)" "[4,4]" "verify: a slot that is freed while a call sleeps is not read" # 2 lookups, window, read
tap_is "$(sleeper kept "$CLUSTER" <<-END
	200 0 7 a LOOKUP type=0 off=1000 cause=fault hit=0
	210 0 7 a RA mode=cluster type=0 off=1000 ret=8
	220 0 7 a READ type=0 off=1000 cause=demand
	230 0 8 b UNREF type=0 off=1001 n=1 how=zap left=1
END
)" "[5,4]" "verify: one that somebody still refers to is"
tap_is "$(sleeper passed "$CLUSTER" <<-END
	200 0 7 a LOOKUP type=0 off=1000 cause=fault hit=0
	210 0 7 a RA mode=cluster type=0 off=1000 ret=8
	220 0 7 a READ type=0 off=1001 cause=ra
	230 0 8 b UNREF type=0 off=1000 n=1 how=zap left=0
	240 0 8 b CACHE type=0 off=1000 n=1 by=swapin
END
)" "[5,4]" "verify: nor does it excuse one that the call had passed"
BOTH='200 0 7 a LOOKUP type=0 off=1000 cause=fault hit=0
210 0 7 a RA mode=cluster type=0 off=1000 ret=1
220 0 8 b LOOKUP type=0 off=1000 cause=fault hit=0
230 0 8 b RA mode=cluster type=0 off=1000 ret=1'
SECOND='240 0 8 b CACHE type=0 off=1000 n=1 by=swapin
250 0 8 b READ type=0 off=1000 n=1 cause=demand'
tap_is "$(printf '%s\n%s\n' "$BOTH" "$SECOND" | sleeper both "${CLUSTER/page_cluster=3/page_cluster=0}")" "[6,6]" \
	"verify: of two tasks that wait for a slot one reads it" # 3 lookups, 2 windows, a read
tap_is "$(printf '%s\n235 0 7 a UNREF type=0 off=1000 n=1 how=swapin left=1\n%s\n' "$BOTH" "$SECOND" |
	sleeper late "${CLUSTER/page_cluster=3/page_cluster=0}")" "[7,6]" "verify: the other one must have waited until then"
# A release newer than all that were read has no model.
trace unknown_release '# release=7.4.1 page_cluster=3 vma_ra=0' <<-END
	LOOKUP type=0 off=5 cause=fault hit=0
END
run "$SWAPTRACE" replay --verify "$WORK/unknown_release"
tap_is "$STATUS" 2 "verify: a release without a model is refused"
tap_grep 'no exact model of kernel 7\.4\.1 for what the trace tells of \(readahead\)' "$ERR" "verify: and what it lacks named"
tap_grep 'nearest is v7\.3' "$ERR" "verify: and the nearest one named"
# docs/kernel-facts.md#swapoff, #cluster-windows: swapoff and windows are the same from 5.8 to 6.17.
for release in 5.10.262 6.6.17 6.17.13; do
	sed "s/7\.4\.1/$release/" "$WORK/unknown_release" >"$WORK/inside"
	run "$SWAPTRACE" replay --verify "$WORK/inside"
	tap_is "$STATUS $(grep -c 'no exact model' "$OUT" "$ERR" | tr '\n' ' ')" "0 $OUT:0 $ERR:0 " \
		"verify: $release is inside a generation that has a model"
done

# --- what the numbers must be read with --------------------------------------------------------
run "$SWAPTRACE" replay --policy page-cluster=0 "$WORK/unknown_release"
tap_grep '^note: there is no exact model of the readahead of kernel 7\.4\.1: all rows are what the nearest, v7\.3, does' "$OUT" \
	"the model of another release is named with the results"
tap_grep '^windows of page-cluster=0 \(what-if\): ' "$OUT" "windows of a what-if are called so"
run "$SWAPTRACE" replay --policy drain=once --policy page-cluster=0 --device virtio "$WORK/good"
tap_grep '^note: drain=once: .* change nothing' "$OUT" "a setting that this trace can't answer is told"
tap_is "$(grep -c 'device virtio' "$OUT")" 1 "what estimates assume is said once"
tap_grep '^estimated time, not measured ' "$OUT" "and that they are not measured"
tap_is "$(grep -c '^ +[0-9.]+ s  ' -E "$OUT")" 3 "one estimate for each policy"
trace misspelt '# release=6.12.0 page_clutser=5 vma_ra=0' <<-END
	LOOKUP type=0 off=5 cause=fault
END
run "$SWAPTRACE" replay "$WORK/misspelt"
tap_grep 'page_clutser \(page_cluster\?\)' "$ERR" "a misspelt header key is told by replay, too"
echo 'RA ret=8' | trace only_windows "$CLUSTER"
run "$SWAPTRACE" replay "$WORK/only_windows"
tap_grep "nothing to replay; 'swaptrace report'" "$OUT" "where there is nothing to replay, what else can be done"

# --- a page that came back and goes again, in the slot it had ----------------------------------
# The window of 8 around 1000 reads 1000 alone: 1001 is free. Its page stays in the cache when the last reference is
# dropped, then reclaim takes it out. The next window is 4 (half of 8): it reads 1001, and 1000 if that is in use.
again() {
	cat <<-END
		LOOKUP type=0 off=1000 cause=fault count=1
		UNREF type=0 off=1000 n=1 how=swapin left=0
		CACHE type=0 off=1001 n=1 by=swapout
		UNCACHE type=0 off=1001 n=1 by=reclaim
		UNCACHE type=0 off=1000 n=1 by=reclaim
		$1
		LOOKUP type=0 off=1001 cause=fault count=1
	END
}
again "UNCACHE type=0 off=5 n=1 by=free" | trace again "$CLUSTER"
tap_is "$(counts again 0 "calls pages_read ra_pages")" "2 3 1" "a slot that reclaim has found in use again is read"
again "FREE type=0 off=1000 n=1" | trace gone "$CLUSTER"
tap_is "$(counts gone 0 "calls pages_read ra_pages")" "2 2 0" "one that was freed is not"

# --- the state of a VMA that is new: what its first call says is what the recorded policy made of it --------------
# Page 10 is in the cache, 11 is read by a call: next to 10, so its window of 8 goes forward and holds 18. Where the
# look at 10 was not accounted, nothing stands before 11: 3 pages left of it, 4 right, and 18 takes a call of its own.
new_vma() {
	local at=0x7f0000000000
	printf 'LOOKUP type=0 off=%d cause=swapoff vma=1 addr=%#x vma_start=0x7f0000000000 vma_end=0x7f0000100000 %s\n' \
		110 $((at + 0xa000)) "hit=1 ra=0" 111 $((at + 0xb000)) hit=0 118 $((at + 0x12000)) "hit=1 ra=1" |
		sed "2a RA mode=vma type=0 off=111 vma=1 addr=0x7f000000b000 ret=8 hits=4 prev=$((0x7f000000a000 / 4096)) last=0\\
READ type=0 off=111 n=1 cause=demand\\
READ type=0 off=118 n=1 cause=ra"
}
new_vma | trace new_vma "$CLUSTER"
tap_is "$(counts new_vma 1 "calls ra_pages" --policy $VMA,swapoff=lookup-first)" "1 1" "accounted: forward"
tap_is "$(counts new_vma 1 "calls ra_pages" --policy $VMA,swapoff=lookup-only)" "2 0" "not accounted: around the page"

# --- policies that begin in the middle ---------------------------------------------------------
# 1000 and 1001 from the boot state: 8, then 4 (vector 7.2 of the kernel's own function). A jump to 5000 without
# hits: 1, but not less than half of the last window: 2; 5001 stands next to it: 2.
for off in 1000 1001 5000 5001; do echo "LOOKUP type=0 off=$off cause=swapoff count=1"; done |
	trace middle "$CLUSTER swapoff=vanilla"
tap_is "$(windows middle 0)" "{2: 2, 4: 1, 8: 1}" "a header that says what swapoff did: that is the recorded policy"
tap_is "$(windows middle 0 --from 3000)" "{2: 2}" "--from: counts begin there, with the state of what came before"
tap_is "$(windows middle 1 --from 3000 --policy page-cluster=0)" "{1: 2}" "--from: the policy acts from there on"
# Of the window of 8 around 1000 only 1001 is in use; it is in the cache when 1001 is needed, before the time given.
tap_is "$(counts middle 0 "pages_read ra_pages unused lookups")" "4 2 0 4" "pages of all of it"
tap_is "$(counts middle 0 "pages_read ra_pages unused lookups" --from 3000)" "2 1 0 2" "--from: pages of the rest"
# The window of 8 around 1000 holds 1001, but there was no memory for it, and nothing read it: it is not in the cache.
trace unread "$CLUSTER" <<-END
	LOOKUP type=0 off=1000 cause=fault count=1 hit=0
	RA mode=cluster type=0 off=1000 ret=8
	READ type=0 off=1000 n=1 cause=demand
	LOOKUP type=0 off=1001 cause=fault count=1 hit=0
END
tap_is "$(counts unread 0 "lookups calls pages_read")" "2 1 2" "a page that could not be read counts as read by a replay"
tap_is "$(counts unread 0 "lookups calls pages_read" --from 4000)" "1 1 1" "--from: not where it was recorded before"
# A page that was read ahead before and is found later: one hit, of no page read.
trace earlier "$CLUSTER" <<-END
	LOOKUP type=0 off=1000 cause=fault count=1 hit=0
	RA mode=cluster type=0 off=1000 ret=8
	READ type=0 off=1000 n=1 cause=demand
	READ type=0 off=1001 n=1 cause=ra
	LOOKUP type=0 off=1001 cause=fault count=1 hit=1 ra=1
END
tap_is "$(counts earlier 0 "hits ra_pages" --from 5000)" "1 0" "--from: a hit of what was read before"
run "$SWAPTRACE" replay --from 5000 "$WORK/earlier"
tap_grep '^note: .*pages read ahead before the time given and not found until then: 1;' "$OUT" "is explained"
run "$SWAPTRACE" replay --from 4001 "$WORK/middle"
tap_is "$STATUS $(cat "$ERR")" "2 swaptrace: error: $WORK/middle: no event at or after 4001 ns" "--from behind the end"
echo 'LOOKUP type=0 off=5 cause=fault' | trace switched "$CLUSTER swapoff=sometimes"
run "$SWAPTRACE" replay "$WORK/switched"
tap_is "$STATUS $(grep -c 'header: swapoff=sometimes is not one of vanilla' "$ERR")" "3 1" "a header's swapoff that is none"

# --- what a release brings, with or without a model of its own -----------------------------------
# Pages 2 and 1 to 6 of an address space: without a step to either side the window of 8 begins 3 pages to the left of
# page 2, at page -1. From 6.11 on that edge is 0, and pages 1 to 6 are read (docs/kernel-facts.md#vma-windows). Before, it wraps and
# nothing is read ahead; nor for page 1, a step back (4 pages from -2 on). Page 3 is none: half of 4, [3, 5), so 4 is a hit
# and 5 a step onwards with it, [5, 9). Four calls, and two pages read ahead of those that are ever needed.
for page in 2 1 3 4 5 6; do
	printf 'LOOKUP type=0 off=%d cause=fault vma=1 addr=%#x vma_start=0x1000 vma_end=0x100000\n' $((page + 10)) $((page * 4096))
done | trace left '# release=6.11.0 page_size=4096 page_cluster=3 vma_ra=1\n# device type=0 pages=1000 flags=ssd,blkdev'
tap_is "$(counts left 0 "calls pages_read ra_pages")" "1 6 5" "6.11: a window's left edge stops at address 0"
sed 's/release=6.11.0/release=6.10.0/' "$WORK/left" >"$WORK/wraps"
tap_is "$(counts wraps 0 "calls pages_read ra_pages")" "4 6 2" "6.10: it wraps, and the window is empty"
for off in 64 128 192; do echo "LOOKUP type=0 off=$off cause=shmem count=2"; done |
	trace shmem '# release=6.14.0 page_size=4096 page_cluster=3 vma_ra=1\n# device type=0 pages=1000 flags=ssd,sync_io,blkdev'
tap_is "$(counts shmem 0 "lookups bypassed")" "3 3" "6.14: shmem goes around the swap cache whatever the count" # docs/kernel-facts.md#bypass
sed 's/release=6.14.0/release=6.13.0/' "$WORK/shmem" >"$WORK/noshmem"
tap_is "$(counts noshmem 0 "lookups bypassed")" "3 0" "6.13: it does not"

# --- case 40: a newer kernel without the bypass -----------------------------------------------------
# 1,000 pages of one process each and 50 shared ones on zram, too far apart to be in one window.
{
	seq 64 64 64000 | sed 's/.*/LOOKUP type=0 off=& cause=fault count=1/'
	seq 64064 64 67200 | sed 's/.*/LOOKUP type=0 off=& cause=fault count=2/'
} | trace case40 '# release=6.6.0 page_size=4096 page_cluster=3 vma_ra=0\n# device type=0 pages=100000 prio=5 flags=ssd,sync_io,blkdev'
tap_is "$(counts case40 0 "lookups bypassed cache_hits pages_read")" "1050 1000 0 1050" \
	"case 40: the recorded kernel bypasses 1,000 and brings 50 through the swap cache"
newer=model=v6.18,bypass=none
tap_is "$(counts case40 1 "lookups bypassed cache_hits pages_read drains" --policy $newer)" "1050 0 0 1050 0" \
	"case 40: a newer one bypasses none, all 1,050 go through the swap cache"
tap_is "$(counts case40 1 "lookups bypassed" --policy model=v6.18)" "1050 1000" "case 40: 6.18 still bypasses"
run "$SWAPTRACE" replay -q --policy $newer "$WORK/case40"
tap_grep "^recorded +v6\.1 .* 1,000$" "$OUT" "case 40: the report names the models: the recorded kernel's"
tap_grep "^$newer \(what-if\) +v6\.18 .* 0$" "$OUT" "case 40: and the newer one's, as a what-if"
# What comes through the swap cache is found there: slot 64 again, at once.
echo '90000000 0 100 task LOOKUP type=0 off=64 cause=fault count=1' | cat "$WORK/case40" - >"$WORK/again40"
tap_is "$(counts again40 1 "bypassed cache_hits" --policy $newer) $(counts again40 0 "bypassed cache_hits")" "0 1 1001 0" \
	"case 40: a page that came through the swap cache is found there, one that went around is not"
# docs/kernel-facts.md#bypass: 7.0 needs no policy for it, and asks readahead on no synchronous device, shared or not.
sed 's/release=6.6.0/release=7.0.13/' "$WORK/case40" >"$WORK/seven40"
tap_is "$(counts seven40 0 "lookups bypassed calls pages_read read_alone drains")" "1050 0 0 1050 1050 0" \
	"case 40 on 7.0: every need is one read into the swap cache"
tap_is "$(counts seven40 1 "lookups bypassed calls" --policy model=v6.18)" "1050 1000 50" "case 40: and 6.18 instead bypasses again"
# docs/kernel-facts.md#drains: 7.3 leaves the LRU batches alone behind a window. Slots 8 to 39 of a disk, in order.
{
	seq 8 39 | sed 's/.*/SLOTS type=0 off=& n=1 count=1/'
	seq 8 39 | sed 's/.*/LOOKUP type=0 off=& cause=fault count=1/'
} | trace windows72 '# release=7.2.12 page_size=4096 page_cluster=3 vma_ra=0\n# device type=0 pages=100000 prio=5 flags=ssd,blkdev'
sed 's/release=7.2.12/release=7.3.4/' "$WORK/windows72" >"$WORK/windows73"
tap_is "$(counts windows73 0 "calls pages_read hits")" "$(counts windows72 0 "calls pages_read hits")" "7.3 has the windows of 7.2"
[ "$(counts windows72 0 drains)" -gt 0 ] && [ "$(counts windows73 0 drains)" = 0 ]
tap_ok $? "7.3 drains behind none of them"
run "$SWAPTRACE" replay -q --policy bypass=sometimes "$WORK/case40"
tap_grep 'bypass=sometimes is not one of kernel, none' "$ERR" "no such bypass"

tap_end
