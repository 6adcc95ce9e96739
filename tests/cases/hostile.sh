#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Texts that nobody wrote by hand in good faith: sizes, runs and numbers at the ends of their ranges.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 27

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
	} >"$WORK/$1"
}

CLUSTER='# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0'

# of FILE FILTER ARGS...: what jq finds in the first result's readahead
of() {
	local file=$1 filter=$2
	shift 2
	timeout 60 "$SWAPTRACE" replay -q --json "$@" "$WORK/$file" 2>/dev/null |
		jq -c ".results[0].readahead | $filter"
}

# A device of 2^64 - 1 slots: only what can be tracked is; two events name slots beyond.
trace vast "$CLUSTER\n# device type=0 pages=18446744073709551615" <<-END
	UNREF type=0 off=9223372036854775808 n=1
	LOOKUP type=0 off=5 cause=fault
	LOOKUP type=0 off=18446744073709551615 cause=fault
END
run timeout 60 "$SWAPTRACE" replay "$WORK/vast"
tap_is "$STATUS" 0 "sizes: a device of 2^64 - 1 slots"
tap_grep '2 events name slots outside their device' "$OUT" "sizes: what lies beyond is counted"
trace long_run "$CLUSTER" <<-END
	UNREF type=0 off=7 n=1152921504606846976
	LOOKUP type=0 off=5 cause=fault
END
tap_is "$(of long_run '[.calls, .pages_read]')" "[1,1]" "sizes: a run of 2^60 slots is not believed"

# Long runs over and over: as much work as bytes of text, not as slots named. Of 2^26 - 2 slots a run,
# four (of 2,000) fit into the 2^28 that a device of unknown size may have; no folio has as many as the others name.
{
	for _ in $(seq 2000); do echo "SLOTS type=0 off=1 n=67108862 count=1 cached=0"; done
	for _ in $(seq 1000); do echo "CACHE type=0 off=1 n=67108862 by=swapout"; done
} | trace again "$CLUSTER"
run timeout 60 "$SWAPTRACE" replay --verify "$WORK/again"
tap_grep '[^0-9]2996 events name slots outside their device' "$OUT" "sizes: runs that can't all be there" ||
	tap_show "$OUT"

# 2^32 - 2 is a slot of a 16 TiB device: nothing says that there is one, so it costs nothing either.
trace far_out "$CLUSTER" <<-END
	LOOKUP type=0 off=4294967294 cause=fault
	LOOKUP type=0 off=5 cause=fault
END
run timeout 60 "$SWAPTRACE" replay "$WORK/far_out"
tap_ok "$STATUS" "sizes: a slot far beyond every device"
tap_grep '1 events name slots outside their device' "$OUT" "sizes: and it is counted"

# Every event may say where it happened, also those that no model asks.
trace elsewhere "$CLUSTER\n# device type=0 pages=1024" <<-END
	CONFIG page_cluster=3 cpu=1 tid=5
	SWAPOUT order=0 folio=0x1 cpu=1 tid=5
	ALLOC order=0 type=0 off=1 n=1 folio=0x1 cpu=1
	RA mode=cluster type=0 off=9 ret=1 cpu=1 tid=7
	READ type=0 off=9 cause=demand cpu=1
END
run "$SWAPTRACE" replay --policy allocator=scan-6.1 "$WORK/elsewhere"
tap_is "$STATUS" 0 "places: cpu= and tid= on every event"

# A hole in the middle of a capture: a verification fails for it, and must say so.
SAMPLE=$TOP/traces/samples/6.12-cluster-swapoff.swaptrace
cp "$SAMPLE" "$WORK/hole"
head -c 64 /dev/zero | dd of="$WORK/hole" bs=1 seek=$(($(stat -c %s "$SAMPLE") / 2)) conv=notrunc 2>/dev/null
run "$SWAPTRACE" replay --verify "$WORK/hole"
tap_is "$STATUS" 1 "damage: a verification fails"
tap_grep '1 of [0-9]* blocks are damaged and left out' "$ERR" "damage: and the damage is named"

# Bounds of a VMA that do not hold the address, the other way round, and the last page of the address space: a fresh
# VMA word reads as hits 4, so the window is 8 (docs/kernel-facts.md#vma-windows); the slots of the neighbours are unknown, one is read.
VMA_HEADER='# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=1'
for bounds in "vma_start=0x500000 vma_end=0x600000" "vma_start=0x900000 vma_end=0x100"; do
	trace bounds "$VMA_HEADER" <<-END
		LOOKUP type=0 off=5 cause=fault vma=1 addr=0x20000 $bounds
	END
	tap_is "$(of bounds '[.windows, .pages_read]')" '[{"8":1},1]' "bounds: $bounds of 0x20000"
done
trace last_page "$VMA_HEADER" <<-END
	LOOKUP type=0 off=5 cause=fault vma=1 addr=0xfffffffffffff000
END
tap_is "$(of last_page '[.windows, .pages_read]')" '[{"8":1},1]' "bounds: the last page"
trace page_size '# release=6.12.0 page_size=4611686018427387904 page_cluster=3 vma_ra=1' <<-END
	LOOKUP type=0 off=5 cause=fault vma=1 addr=0x20000
END
tap_is "$(of page_size '[.windows, .pages_read]')" '[{"8":1},1]' "sizes: pages of 2^62 bytes"

# Devices that the allocator's model cannot number must not take the readahead replay with them.
{
	printf '# swaptrace text 1\n# device type=0 pages=4294967290\n# device type=1 pages=4294967290\n'
	printf '1 0 1 a ALLOC order=0 type=1 off=60000\n2 0 1 a LOOKUP type=0 off=60000 cause=fault\n'
} >"$WORK/huge"
run "$SWAPTRACE" replay --policy allocator=cluster-6.12 "$WORK/huge"
tap_grep 'too large for the model of the slot allocator' "$OUT" "sizes: an allocator that cannot be set up is a note"

# More call sites than are told apart (256): the rest is one row, and there is an end. Of 300 sites with one drain of
# two folios each the table shows 64, and names how many rows are left: 257 - 64.
for sites in 256 257 300; do
	seq $sites | sed 's/.*/DRAIN site=site&/' | awk '{ print $1, $2, "add=2" }' | trace sites ''
	run timeout 60 "$SWAPTRACE" report "$WORK/sites"
	tap_is "$STATUS $(grep -cE '^(site[0-9]|\(others\))' "$OUT") $(sed -n 's/ more call sites are not shown//p' "$OUT")" \
		"0 64 $((sites > 256 ? 193 : 192))" "sites: a report of $sites"
done
tap_grep '^\(others\) +44 +88$' "$OUT" "sites: those that are not told apart are counted as others" # 300 - 256, two each

# A mean of 0 has no percentages; intervals and tests do not need any.
printf -- '-1\n1\n' >"$WORK/zero"
printf '0\n0\n' >"$WORK/nothing"
for style in plain mmtests lkp; do
	run "$SWAPTRACE" compare --style $style "$WORK/zero" "$WORK/nothing"
	tap_is "$STATUS $(grep -ciE '(^|[^a-z])-?(nan|inf)' "$OUT")" "0 0" "mean 0: compare --style $style"
done
run "$SWAPTRACE" compare "$WORK/zero" "$WORK/zero"
tap_grep '^ *in percent of base +n/a$' "$OUT" "mean 0: no percentage of it"
tap_grep '^Welch t +0\.00$' "$OUT" "mean 0: and 0 has no sign"
# t(0.975, 2) = 4.3027, the error is sqrt(2/2 + 2/2) = 1.41421: +- 6.0849
tap_grep '^95 % CI of the difference +-6\.08 \.\. \+6\.08$' "$OUT" "mean 0: the interval is there"

# What programs print where there is no number is neither a number nor a name.
for word in nan -nan NaN NaN% inf 'a nan'; do
	printf '14.2\n%s\n15.1\n' "$word" >"$WORK/words"
	run "$SWAPTRACE" compare "$WORK/words" "$WORK/words"
	echo "$STATUS $(grep -c "line 2: '${word#a }' stands where there is no number" "$ERR")"
done | sort -u >"$WORK/answers"
tap_is "$(cat "$WORK/answers")" "3 1" "no number: is not a name in a list"
printf 'kernel a b\nx 10 20 (  NaN%%)\ny 3 4 (NaN%%)\nz 4 5 -nan%%\n' >"$WORK/declared"
run "$SWAPTRACE" compare "$WORK/declared"
tap_is "$STATUS $(grep -cE '^[xyz] +[0-9]+ +[0-9]+ +\+' "$OUT") $(wc -l <"$ERR")" "0 3 0" "no number: is no change that is declared"
printf 'Iteration 1: swpout inc: 5, swpout fallback inc: 5, Fallback percentage: 50.00%%\nIteration 2: swpout inc: 0, swpout fallback inc: 0, Fallback percentage: NaN%%\n' >"$WORK/iterations"
run "$SWAPTRACE" report "$WORK/iterations"
tap_is "$STATUS" 0 "no number: NaN% of nothing, as -nan%"

tap_end
