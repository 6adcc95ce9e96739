#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# import, dump, info and recover as a user meets them: identity, exit statuses, damage, a full disk; cases 17, 52
# (own notation), 56, 59, 61, 63, 64 of the list of real-world cases as far as traces are concerned.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

tap_plan 95

HEAD='# swaptrace text 1
# release=6.12.117 arch=x86_64 page_size=4096 page_cluster=3
# device type=0 pages=400 prio=-2 flags=rotational,blkdev name=/dev/vda'

# damage FILE OFFSET COUNT: that many bytes of 0x55
damage() {
	head -c "$3" /dev/zero | tr '\0' '\125' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# --- identity -----------------------------------------------------------------------------------
cat >"$WORK/all.txt" <<END
$HEAD
# probe event=RA symbol=swap_cluster_readahead kind=fexit cpu=0 hits=10 delivered=7 lost=2 filtered=1
100 0 12 swapoff SWAPOFF op=begin type=0
110 0 12 swapoff LOOKUP type=0 off=5 cause=swapoff vma=1 addr=0x7f0000001000 hit=0
110 1 - - RA mode=cluster type=0 off=5 ret=8 start=1 end=8 how=state
120 - 12 a\\x20[b]\\x2012 READ type=0 off=5 n=1 cause=demand ns=9007199254740993
130 0 12 \\x DRAIN site=lru_add_drain add=3 cpu=1
END
run "$SWAPTRACE" import "$WORK/all.txt" -o "$WORK/all.data"
tap_is "$STATUS" 0 "text is imported"
tap_grep_none warning "$ERR" "without a warning"
run "$SWAPTRACE" dump "$WORK/all.data"
tap_same "$OUT" "$WORK/all.txt" "dump gives the text back, byte for byte"
"$SWAPTRACE" dump -q "$WORK/all.data" | "$SWAPTRACE" import -q -o - 2>/dev/null | "$SWAPTRACE" dump - >"$WORK/again" 2>/dev/null
tap_same "$WORK/again" "$WORK/all.txt" "dump | import | dump through pipes is the identity"
run "$SWAPTRACE" dump "$WORK/all.txt"
tap_same "$OUT" "$WORK/all.txt" "text may be dumped as if it were a trace"
run "$SWAPTRACE" dump "$WORK/all.data" -o "$WORK/out.txt"
tap_same "$WORK/out.txt" "$WORK/all.txt" "dump -o writes a file"

# --- selections ---------------------------------------------------------------------------------
run "$SWAPTRACE" dump --no-header -e RA,READ "$WORK/all.data"
tap_is "$(cut -d' ' -f5 "$OUT" | tr '\n' ' ')" "RA READ " "fields count from the left: the comm has escaped blanks"
tap_is "$(wc -l <"$OUT")" 2 "dump -e prints two kinds"
run "$SWAPTRACE" dump --no-header --time 0.00000011,0.00000012 "$WORK/all.data"
tap_is "$(cut -d' ' -f1 "$OUT" | tr '\n' ' ')" "110 110 120 " "dump --time START,STOP, both inclusive"
run "$SWAPTRACE" dump --no-header --time ,0.0000001 "$WORK/all.data"
tap_is "$(wc -l <"$OUT")" 1 "dump --time ,STOP"
run "$SWAPTRACE" dump --no-header -C 1 "$WORK/all.data"
tap_is "$(wc -l <"$OUT")" 1 "dump -C"
run "$SWAPTRACE" dump --no-header -p 12 "$WORK/all.data"
tap_is "$(wc -l <"$OUT")" 4 "dump -p"
run "$SWAPTRACE" dump --header "$WORK/all.data"
tap_is "$(grep -vc '^#' "$OUT")" 0 "dump --header prints no event"
run "$SWAPTRACE" dump -e READAHEAD "$WORK/all.data"
tap_is "$STATUS" 2 "an unknown event is a usage error"
run "$SWAPTRACE" dump --time 1-2 "$WORK/all.data"
tap_is "$STATUS" 2 "a malformed time is a usage error"

# --- info ---------------------------------------------------------------------------------------
run "$SWAPTRACE" info "$WORK/all.data"
tap_is "$STATUS" 0 "info"
tap_grep '^events +5$' "$OUT" "info counts events"
tap_grep '^READ +1 +20\.00 %' "$OUT" "info gives shares"
run "$SWAPTRACE" info --verify "$WORK/all.data"
tap_is "$STATUS" 0 "10 hits = 7 delivered + 2 lost + 1 filtered"
tap_grep 'probes: 1 right, 0 wrong, 0 not checked' "$OUT" "and info --verify says so"
# Three windows returned and derived, one of them differently, and one only returned.
cat >"$WORK/twice.txt" <<'END'
# swaptrace text 1
# device type=0 pages=1024
1000 0 1 a RA mode=cluster type=0 off=8 ret=8 how=probed derived=8
2000 0 1 a RA mode=cluster type=0 off=16 ret=8 how=probed derived=4
3000 0 1 a RA mode=cluster type=0 off=24 ret=8 how=probed
4000 0 1 a RA mode=vma type=0 off=32 ret=2 how=probed derived=2
5000 0 1 a RA mode=vma type=0 off=40 ret=2 how=state
END
run "$SWAPTRACE" info "$WORK/twice.txt"
tap_grep 'cluster: derived windows equal to probed: 1 of 2 \(50\.000 %\); 1 were probed only' "$OUT" \
	"info: derived windows beside those returned"
run "$SWAPTRACE" info --json "$WORK/twice.txt"
tap_is "$(jq -c .windows "$OUT")" \
	'{"cluster":{"probed":3,"derived":2,"equal":1},"vma":{"probed":1,"derived":1,"equal":1}}' "and in JSON"
run "$SWAPTRACE" replay --verify --json "$WORK/twice.txt"
tap_is "$(jq -c '.results[0].verify | [.derived_agreed, .derived_checked]' "$OUT")" "[2,3]" "replay --verify counts them, too"
sed 's/hits=10/hits=11/' "$WORK/all.txt" >"$WORK/wrong.txt"
run "$SWAPTRACE" info --verify "$WORK/wrong.txt"
tap_is "$STATUS" 1 "11 hits are not 7 + 2 + 1"
tap_grep 'WRONG' "$OUT" "and the probe is marked"
run "$SWAPTRACE" info "$WORK/wrong.txt"
tap_is "$STATUS" 0 "which only --verify minds"
sed 's/ filtered=1$//' "$WORK/all.txt" >"$WORK/unchecked.txt"
run "$SWAPTRACE" info --verify "$WORK/unchecked.txt"
tap_is "$STATUS" 0 "a probe without its numbers is no failure"
tap_grep 'probes: 0 right, 0 wrong, 1 not checked' "$OUT" "but it is not checked"
# The sum would be 10 again if it wrapped around at 2^64.
sed 's/delivered=7 lost=2/delivered=18446744073709551615 lost=10/' "$WORK/all.txt" >"$WORK/wrap.txt"
run "$SWAPTRACE" info --verify "$WORK/wrap.txt"
tap_is "$STATUS" 1 "a sum above 2^64 equals nothing"

# --- JSON (case 61) and hostile names (case 59) ----------------------------------------------------
printf '%s\n# note \033[31m "quoted" \303\244\n1 0 1 \\x1b[31mx RA ret=1\n' "$HEAD" |
	sed 's,/dev/vda,\\xe4\\x22\\x5c,' >"$WORK/hostile.txt"
run "$SWAPTRACE" info --json "$WORK/hostile.txt"
# jq takes bytes that are no UTF-8; iconv does not.
iconv -f UTF-8 -t UTF-8 "$OUT" >"$WORK/utf8" 2>"$ERR" && jq -e . "$WORK/utf8" >/dev/null 2>>"$ERR"
tap_ok $? "info --json is valid JSON with hostile names" || tap_show "$ERR"
tap_is "$(jq -r '"\(.swaptrace) \(.version) \(.events)"' "$OUT")" "info 1 1" "with a version"
run "$SWAPTRACE" info "$WORK/hostile.txt"
LC_ALL=C grep -q '[^ -~]' "$OUT"
tap_is $? 1 "no control character reaches the terminal from info"
run "$SWAPTRACE" dump "$WORK/hostile.txt"
LC_ALL=C grep -q '[^ -~]' "$OUT"
tap_is $? 1 "nor from dump"

# --- what is not understood ----------------------------------------------------------------------
cat >"$WORK/odd.txt" <<END
# swaptrace text 1
# page_clustr=3
# devise type=0 pages=100
5 0 1 c RA ret=8 depth=2
4 0 1 c FUTURE x=1
garbage line
6 0 1 c RA ret=99999999999999999999
END
run "$SWAPTRACE" import "$WORK/odd.txt" -o "$WORK/odd.data"
tap_is "$STATUS" 0 "odd lines do not stop an import"
tap_grep '1 line not understood; the first is line 6' "$ERR" "a bad line is counted and its number named"
tap_grep '1 unknown event and 2 unknown keys or values: depth, FUTURE, ret=99999999999999999999' "$ERR" \
	"unknown names are named"
tap_grep 'page_clustr \(page_cluster\?\)' "$ERR" "a misspelt header key is reported with the right one"
tap_grep 'devise \(device\?\)' "$ERR" "and so is a misspelt directive"
run "$SWAPTRACE" info "$WORK/odd.data"
tap_grep '^lost +unknown' "$OUT" "text that says nothing of loss: unknown, not 0"
run "$SWAPTRACE" info --json "$WORK/odd.data"
tap_is "$(jq .lost "$OUT")" null "null in JSON"
run "$SWAPTRACE" replay --json "$WORK/odd.data"
tap_is "$(jq -c '[.trace.lost, .results[0].lost]' "$OUT")" '[null,null]' "and in results"
sed '2i # loss n=0' "$WORK/odd.txt" >"$WORK/odd0.txt"
run "$SWAPTRACE" info --json "$WORK/odd0.txt"
tap_is "$(jq .lost "$OUT")" 0 "loss n=0 says that nothing is lost"
run "$SWAPTRACE" import --strict "$WORK/odd.txt" -o "$WORK/odd.data"
tap_is "$STATUS" 1 "import --strict: left-out lines are a finding"
printf '# swaptrace text 1\n2 - - - RA ret=1\n1 - - - RA ret=2\n' >"$WORK/unsorted.txt"
run "$SWAPTRACE" dump "$WORK/unsorted.txt"
tap_is "$(sed -n 's/.*ret=//p' "$OUT" | tr '\n' ' ')" "2 1 " "unsorted lines are sorted"
tap_grep 'not in order of time' "$ERR" "and that is said"

# --- case 52, in our own notation: loss travels -----------------------------------------------------
printf '# swaptrace text 1\n# loss cpu=2 n=118\n812100001000 1 71 kswapd0 READ type=1 off=0x210\n812100950000 2 2210 stress READ type=1 off=0x218\n' \
	>"$WORK/loss.txt"
run "$SWAPTRACE" import "$WORK/loss.txt" -o "$WORK/loss.data"
run "$SWAPTRACE" info "$WORK/loss.data"
tap_grep '^lost +118 \(98\.33 %\)' "$OUT" "118 of 120 events lost"
run "$SWAPTRACE" dump --no-header "$WORK/loss.data"
tap_is "$(sed -n 's/.*off=//p' "$OUT" | tr '\n' ' ')" "528 536 " "offsets in hex are accepted"
run "$SWAPTRACE" info --strict "$WORK/loss.data"
tap_is "$STATUS" 1 "--strict: loss is a finding"

# --- case 56: offsets that can't be ------------------------------------------------------------------
{
	echo "$HEAD"
	for i in $(seq 1 400); do
		echo "$i 0 1 c LOOKUP type=0 off=$((i <= 12 ? 399 + i : i - 12)) cause=fault"
	done
} >"$WORK/outside.txt"
run "$SWAPTRACE" info --verify "$WORK/outside.txt"
tap_grep '12 of 400 offsets lie outside their device' "$ERR" "case 56: 12 of 400 offsets outside the device"
tap_is "$STATUS" 1 "which fails --verify"
sed 's/off=[0-9]*/off=0/' "$WORK/outside.txt" >"$WORK/zero.txt"
run "$SWAPTRACE" info "$WORK/zero.txt"
tap_grep 'all 400 offsets are 0.*not readable on this kernel' "$ERR" "case 56: all offsets 0"

# --- case 63: other machines and later versions -------------------------------------------------------
for order in little big; do
	{
		printf '# swaptrace text 1\n# byte_order=%s page_size=65536\n' $order
		seq 10 | awk '{ printf "%d 0 1 c RA ret=%d\n", $1, $1 }'
	} >"$WORK/$order.txt"
	"$SWAPTRACE" import -q "$WORK/$order.txt" -o "$WORK/$order.data"
	"$SWAPTRACE" dump --no-header "$WORK/$order.data" >"$WORK/$order.events"
done
tap_same "$WORK/big.events" "$WORK/little.events" "case 63: the recorded machine's byte order does not change events"
run "$SWAPTRACE" dump --header "$WORK/big.data"
tap_grep '^# byte_order=big page_size=65536$' "$OUT" "it is kept, with the page size"
sed 's/text 1$/text 250/' "$WORK/all.txt" >"$WORK/newer.txt"
run "$SWAPTRACE" dump "$WORK/newer.txt"
tap_is "$STATUS" 3 "case 63: a later version is unreadable input"
tap_grep 'newer\.txt was written by a newer version \(250\)' "$ERR" "in clear words"

# --- damage -------------------------------------------------------------------------------------------
seq 200000 | awk 'BEGIN { print "# swaptrace text 1"; print "# release=6.12.117" }
	{ printf "%d %d 900 swapoff LOOKUP type=0 off=%d cause=swapoff addr=0x%x hit=%d\n", $1 * 777 + $1 * $1 % 501, $1 % 2,
	  $1 * 7919 % 99991, $1 * 4096, $1 % 8 != 0 }' >"$WORK/big.txt"
"$SWAPTRACE" import -q "$WORK/big.txt" -o "$WORK/big.data"
SIZE=$(stat -c %s "$WORK/big.data")
cp "$WORK/big.data" "$WORK/bad.data"
damage "$WORK/bad.data" $((SIZE / 2)) 64
run "$SWAPTRACE" dump --no-header "$WORK/bad.data"
tap_is "$STATUS" 1 "64 damaged bytes: the rest is dumped, and that is a finding"
tap_grep 'bad\.data: 1 of [0-9]+ blocks are damaged' "$ERR" "they cost one block, and that is said"
tap_is "$(grep -c warning "$ERR")" 1 "in one line"
LOST=$(sed -nE 's/.*left out, ([0-9]+) events.*/\1/p' "$ERR")
tap_is "$((LOST + $(wc -l <"$OUT")))" 200000 "what is missing and what is there add up"
grep -vxFf "$WORK/big.txt" "$OUT" >"$WORK/invented"
tap_is "$(wc -l <"$WORK/invented")" 0 "and nothing is invented"
run "$SWAPTRACE" dump --strict "$WORK/bad.data"
tap_is "$STATUS" 1 "dump --strict: damage is a finding"
run "$SWAPTRACE" info --verify "$WORK/bad.data"
tap_is "$STATUS" 1 "info --verify fails"
run "$SWAPTRACE" info --verify "$WORK/big.data"
tap_is "$STATUS" 0 "and passes for the undamaged file"

cp "$WORK/big.data" "$WORK/headless.data"
damage "$WORK/headless.data" 0 64
run "$SWAPTRACE" dump "$WORK/headless.data"
tap_same "$OUT" "$WORK/big.txt" "64 damaged bytes at the start: the header is read from its second copy"
tap_grep 'second copy' "$ERR" "and that is said"
damage "$WORK/headless.data" 200 64
run "$SWAPTRACE" dump "$WORK/headless.data"
tap_is "$STATUS" 3 "both copies of the header lost: unreadable input"
run "$SWAPTRACE" recover "$WORK/headless.data" -o "$WORK/saved.data"
tap_is "$STATUS" 0 "recover saves the events"
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/saved.data" | wc -l)" 200000 "all of them"

head -c $((SIZE * 2 / 3)) "$WORK/big.data" >"$WORK/cut.data"
run "$SWAPTRACE" dump --no-header "$WORK/cut.data"
tap_is "$STATUS" 1 "a cut trace is read to its last whole block, and that is a finding"
head -n "$(wc -l <"$OUT")" <(grep -v '^#' "$WORK/big.txt") >"$WORK/prefix"
tap_same "$OUT" "$WORK/prefix" "with exactly the events before the cut"
run "$SWAPTRACE" info --verify "$WORK/cut.data"
tap_grep '^verify +FAILED: .* the end is missing' "$OUT" "info --verify says why it failed"
tap_grep 'swaptrace recover .*cut\.data -o NEW' "$ERR" "and what to do"
run "$SWAPTRACE" recover "$WORK/cut.data" -o "$WORK/saved.data"
run "$SWAPTRACE" info --verify "$WORK/saved.data"
tap_is "$STATUS" 0 "recovered, it is whole"
tap_grep 'note recovered .*truncated=1' "$OUT" "and remembers what it was"
# What was wrong with the file goes into results, also by way of recover.
wrong_in_json() {
	"$SWAPTRACE" replay -q --json "$1" 2>/dev/null | jq -c '.trace | [.damaged_blocks, .damaged_events, .truncated, .recovered]'
}
tap_is "$(wrong_in_json "$WORK/saved.data")" "[0,0,true,true]" "recovered: JSON says that the end was missing"
tap_is "$(wrong_in_json "$WORK/cut.data")" "[0,0,true,false]" "cut: JSON says so"
tap_is "$(wrong_in_json "$WORK/big.data")" "[0,0,false,false]" "whole: nothing to say"
"$SWAPTRACE" recover -q "$WORK/bad.data" -o "$WORK/mended.data" 2>/dev/null
tap_is "$(wrong_in_json "$WORK/bad.data") $(wrong_in_json "$WORK/mended.data")" "[1,$LOST,false,false] [1,$LOST,false,true]" \
	"damaged: JSON says how many events are missing, before and after recover"
for command in replay report info "export -o $WORK/exported"; do
	# shellcheck disable=SC2086 # a command with its options
	"$SWAPTRACE" $command "$WORK/bad.data" >"$WORK/.out2" 2>/dev/null
	echo "$command $?"
	# shellcheck disable=SC2086
	"$SWAPTRACE" $command "$WORK/mended.data" >"$WORK/.out2" 2>/dev/null
	echo "$command $?"
done | awk '{ print $NF }' | paste -s -d " " >"$WORK/statuses"
tap_is "$(cat "$WORK/statuses")" "1 0 1 0 1 0 1 0" "damage is a finding of every reader, what was recovered is a note"
run "$SWAPTRACE" replay --strict "$WORK/saved.data"
tap_is "$STATUS" 1 "a replay of what was recovered is not whole: --strict says so"
tap_grep 'note: the trace was recovered from a damaged or cut one' "$OUT" "and the results carry it"
head -c 10 "$WORK/cut.data" >"$WORK/stump.data"
run "$SWAPTRACE" recover "$WORK/stump.data" -o "$WORK/nothing.data"
tap_is "$STATUS $(ls "$WORK/nothing.data" 2>/dev/null)" "3 " "nothing to recover: status 3 and no file"
run "$SWAPTRACE" recover "$WORK/cut.data"
tap_is "$STATUS" 2 "recover wants -o"
run "$SWAPTRACE" recover "$WORK/cut.data" -o "$WORK/nowhere/new.data"
tap_is "$STATUS" 4 "an output that can't be made is no unreadable input: recover"
run "$SWAPTRACE" import "$WORK/odd.txt" -o "$WORK/nowhere/new.data"
tap_is "$STATUS" 4 "and import"
run "$SWAPTRACE" report "$WORK/odd.data" -o "$WORK/odd.txt/report"
tap_is "$STATUS" 4 "and report"

# --- unreadable input ------------------------------------------------------------------------------------
run "$SWAPTRACE" info "$WORK/missing"
tap_is "$STATUS" 3 "a missing file is unreadable input"
tap_grep 'missing: No such file' "$ERR" "and named"
: >"$WORK/empty"
run "$SWAPTRACE" dump "$WORK/empty"
tap_is "$STATUS" 3 "so is an empty one"
head -c 65536 /dev/urandom >"$WORK/noise"
run "$SWAPTRACE" dump "$WORK/noise"
tap_is "$STATUS" 3 "and noise"
cp "$WORK/all.data" "$WORK/keep.data"
run "$SWAPTRACE" import "$WORK/noise" -o "$WORK/keep.data"
cmp -s "$WORK/keep.data" "$WORK/all.data"
tap_is "$STATUS $?" "3 0" "a failed import leaves the existing trace alone"

# --- case 64: a full disk ----------------------------------------------------------------------------------
(
	trap '' XFSZ
	ulimit -f 16
	"$SWAPTRACE" import "$WORK/big.txt" -o "$WORK/full.data" 2>"$ERR"
)
tap_is $? 4 "case 64: no space is a failure of the environment"
tap_grep 'full\.data: cannot write after [0-9]+ bytes and [0-9]+ events' "$ERR" "it says how much was written"
# What can be made again is whole or not there; a recording stays readable to its last block (test_trace_format).
tap_is "$(ls "$WORK" | grep -c '^full')" 0 "and leaves nothing that looks like a trace"
if [ -w /dev/full ]; then
	"$SWAPTRACE" dump "$WORK/all.data" >/dev/full 2>"$ERR"
	tap_is $? 4 "dump > /dev/full fails"
else
	tap_skip "dump > /dev/full fails" "no /dev/full"
fi
tap_end
