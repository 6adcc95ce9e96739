#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Drains of the per-CPU LRU batches and the cost of adding a page: case 3 of the list of real-world cases, policies and
# call sites, --verify, calibrate, reproduce drain and lruadd. Expected values are the case's own, published ones, or
# follow as the lines beside them say.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 67

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart; a line may begin with
# "@CPU", else it is of CPU 1.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ cpu = 1; if (sub(/^@/, "")) { cpu = $1; sub(/^[0-9]+ /, "") } printf "%d %d 100 task %s\n", NR * 1000, cpu, $0 }'
	} >"$WORK/$1"
}

# lru FILE N FILTER ARGS...: jq FILTER on the lru part of result N
lru() {
	local file=$1 n=$2 filter=$3
	shift 3
	"$SWAPTRACE" replay -q --json "$@" "$WORK/$file" 2>/dev/null | jq -c "(.results | sort_by(.policy != \"recorded\"))[$n].lru | $filter"
}

# releases N: a batch is initialised and released N times; on 4.14 each drains
releases() {
	echo "INIT batch=0x7f10"
	for _ in $(seq "$1"); do
		echo "PUT batch=0x7f10 n=14"
		echo "RELEASE batch=0x7f10 n=14"
		echo "DRAIN site=__pagevec_release"
	done
}

# --- case 3: drain once per lifetime -------------------------------------------------------------
{ releases 1; releases 4; releases 2; } | trace case3 '# release=4.14.0 cpus=2'
tap_is "$(lru case3 0 '[.drains, .releases, .drains_saved]')" "[7,7,0]" "case 3: 7 drains as recorded"
tap_is "$(lru case3 1 '[.drains, .releases, .drains_saved]' --policy drain=once)" "[3,7,4]" \
	"case 3: 3 drains, one in each life"
tap_is "$(lru case3 1 .sites --policy drain=once)" '{"__pagevec_release":3}' "case 3: by call site"
{ releases 1; echo "@0 LRUADD op=add n=99"; releases 4; echo "@0 LRUADD op=add large=1"; releases 2; } |
	trace case3local '# release=4.14.0 cpus=2'
tap_is "$(lru case3local 1 '[.drains, .moved]' --policy drain=once)" "[3,0]" \
	"case 3: what other CPUs do changes neither the count nor what is moved"
run "$SWAPTRACE" replay --verify "$WORK/case3"
tap_is "$STATUS" 0 "case 3: the recorded kernel's own policy verifies, 4.14 has a model of its batches"
tap_grep 'releases 7 of 7' "$OUT" "case 3: release by release"
tap_grep 'not checked: batch sizes \(no LRUADD events\)' "$OUT" "case 3: and what could not be checked is said"
run "$SWAPTRACE" reproduce drain --capture "$WORK/case3"
tap_is "$STATUS" 0 "case 3: reproduce drain takes it as a capture"
tap_grep 'drain=once instead of drain=always: 4 drains less of 7 \(-57\.14 %\)' "$OUT" "case 3: -57.1 %"

# A kernel that drains once, replayed as one that always does.
{
	echo "RELEASE batch=0x7f10 n=14 drained=0"
	echo "DRAIN site=__folio_batch_release add=0"
	echo "RELEASE batch=0x7f10 n=14 drained=1"
	echo "RELEASE batch=0x7f10 n=14 drained=1"
} | trace once '# release=6.12.117'
tap_is "$(lru once 0 .drains)" 1 "6.12 drains once"
tap_is "$(lru once 1 .drains --policy drain=always)" 3 "6.12, drain=always: three times"
tap_is "$(lru once 1 '[.drain, .batch_size]' --policy model=v5.6)" '["once",15]' "a model brings its batch size"
run "$SWAPTRACE" replay --verify "$WORK/once"
tap_is "$STATUS" 0 "the drained flag is followed"
sed 's/drained=1/drained=0/' "$WORK/once" >"$WORK/once.bad"
run "$SWAPTRACE" replay --verify "$WORK/once.bad"
tap_is "$STATUS" 1 "a release that should have drained and did not is a finding"
# The second should have drained and a third release followed it; the third is cut off by the end.
tap_grep 'releases 1 of 2' "$OUT" "and is counted once"

# --- what drains find, call sites ------------------------------------------------------------------------------
# 6.1: batches of 15. 17 folios: a flush of 15, 2 wait; the first drain moves them. 3 more and an activation: the
# second moves 4. A large folio takes the one before it along.
{
	echo "DRAIN site=shrink_inactive_list add=0 activate=0"
	for _ in $(seq 15); do echo "LRUADD op=add"; done
	echo "FLUSH op=add n=15"
	echo "LRUADD op=add n=2"
	echo "DRAIN site=swap_cluster_readahead add=2 activate=0"
	echo "LRUADD op=add n=3"
	echo "LRUADD op=activate"
	echo "DRAIN site=shrink_inactive_list add=3 activate=1"
	echo "LRUADD op=add"
	echo "LRUADD op=add large=1"
	echo "FLUSH op=add n=2"
} | trace sites '# release=6.1.0 cpus=2'
tap_is "$(lru sites 0 '[.drains, .drains_empty, .moved, .flushes, .flushed, .added]')" "[3,1,6,2,17,22]" \
	"drains, flushes and folios"
tap_is "$(lru sites 0 '[.sites, .moved_by_site]')" \
	'[{"shrink_inactive_list":2,"swap_cluster_readahead":1},{"shrink_inactive_list":4,"swap_cluster_readahead":2}]' \
	"by call site"
# Without the drain by readahead 5 folios wait for the last one.
tap_is "$(lru sites 1 '[.drains, .suppressed, .moved, .moved_by_site.shrink_inactive_list]' \
	--policy drain-off=swap_cluster_readahead)" "[2,1,6,6]" "a call site switched off"
# No release is in this trace.
tap_is "$(lru sites 1 '[.flushed, .moved]' --policy drain=always)" "[17,6]" "the drain policy leaves other drains alone"
run "$SWAPTRACE" replay --verify "$WORK/sites"
tap_is "$STATUS" 0 "verify: batches at drains and flushes agree"
tap_grep 'batches at drains 2 of 2, flushes 2 of 2' "$OUT" "verify: the first drain makes them known"
for change in 's/add=3 activate=1/add=3 activate=0/' 's/FLUSH op=add n=15/FLUSH op=add n=14/' '/FLUSH op=add n=2/d' \
	's/LRUADD op=activate/LRUADD op=rotate/'; do
	sed "$change" "$WORK/sites" >"$WORK/sites.bad"
	# What the end of the trace cuts off can't be missed: one more event of that batch.
	echo "99000 1 100 task LRUADD op=add" >>"$WORK/sites.bad"
	run "$SWAPTRACE" replay --verify "$WORK/sites.bad"
	case $change in
	# Without any event of its kind an operation counts as not recorded.
	*op=rotate*) tap_is "$STATUS" 0 "verify: an operation that is not recorded is not compared" ;;
	*) tap_is "$STATUS" 1 "verify: finds $change" ;;
	esac
done
run "$SWAPTRACE" replay --policy drain-off=no_such_site "$WORK/sites"
tap_is "$STATUS" 0 "a site that is not in the trace"
run "$SWAPTRACE" replay --json --policy drain-off=no_such_site "$WORK/sites"
tap_is "$(jq -r '.results[0].notes[0]' "$OUT")" "drain-off=no_such_site: no drain of the trace comes from there" \
	"is pointed out"
run "$SWAPTRACE" replay --policy drain=never "$WORK/sites"
tap_is "$STATUS" 2 "an unknown drain policy is a usage error"

# --- which releases ------------------------------------------------------------------------------------------
trace old '# release=4.4.0' <<<'DRAIN site=a'
run "$SWAPTRACE" replay --verify "$WORK/old"
tap_is "$STATUS" 2 "verify: a release whose batches have no model is refused"

# --- calibrate -------------------------------------------------------------------------------------------------
run "$SWAPTRACE" calibrate --rounds 11 --directory "$WORK" -o "$WORK/calibration"
tap_is "$STATUS" 0 "calibrate"
tap_grep '^the barrier \(inline-mb less inline-relaxed\)' "$OUT" "calibrate: prints the barrier"
tap_is "$(head -n 1 "$WORK/calibration")" "# swaptrace calibration 1" "calibrate: writes a file"
run "$SWAPTRACE" calibrate --rounds 2
tap_is "$STATUS" 2 "calibrate: too few rounds are a usage error"
run "$SWAPTRACE" calibrate --rounds 11 -o "$WORK/no/such/folder"
tap_is "$STATUS" 4 "calibrate: a file that can't be made"
cat >"$WORK/given" <<-END
	# swaptrace calibration 1
	cpu=given
	release=5.6.4
	emulated=1
	rounds=51
	outline-mb=30 29 31
	inline-mb=28 27 29
	inline-relaxed=20 20 21
	no-barrier=20 19 21
	call=2 1 3
	barrier=8 7 9
	both=10 9 11
	read-first=600 590 610
	read-again=410 400 420
END
# 22 pages at 10 ns
tap_is "$(lru sites 1 '.cost | [.page_ns == 10, .seconds == 2.2e-7]' --policy lruadd=outline-mb \
	--calibration "$WORK/given")" "[true,true]" "replay: the cost of the pages that were added"
tap_is "$(lru sites 0 .cost)" null "replay: unknown without a calibration"
run "$SWAPTRACE" replay --calibration "$WORK/sites" "$WORK/sites"
tap_is "$STATUS" 3 "replay: a file that is no calibration"

# --- reproduce lruadd --------------------------------------------------------------------------------------------
run "$SWAPTRACE" reproduce lruadd --calibration "$WORK/given"
tap_is "$STATUS" 0 "reproduce lruadd"
# 4096 bytes at 150 MB/s are 27306.7 ns. Gain of 2 ns: 100 * 2 / 27304.7 = 0.01 %; holes here: 5.6 adds with barrier and
# call itself, so 1010 ns for the two reads of a page: 100 * 2 / 1008 = 0.20 %, 8 ns 0.80 %, 10 ns 1.00 %.
tap_grep 'patch 1/2: inline, no call +2\.00 +1\.00 \.\. 3\.00 +\+2\.67 % +\+0\.01 % +\+0\.20 %' "$OUT" "patch 1/2"
tap_grep 'both patches +10\.00 +9\.00 \.\. 11\.00 +\+6\.00 % +\+0\.04 % +\+1\.00 %' "$OUT" "both patches"
tap_grep 'ESTIMATES' "$OUT" "labelled as estimates"
# t = 0.54143 / sqrt(0.672^2 / 10 + 0.21^2 / 10) = 2.432; df = 0.0495684^2 / ((0.0451584^2 + 0.00441^2) / 9) = 10.74
tap_grep 'Welch t = 2\.43, df = 10\.7, .*: significant at 5 %' "$OUT" "the ten runs: Welch's test"
tap_grep 'emulated' "$ERR" "times of an emulated CPU are called so"
run "$SWAPTRACE" reproduce lruadd --calibration "$WORK/given" --json
tap_is "$(jq -c '.results == [] and (.reproduce | .thread == "lruadd" and .published.rates[2].mbs == 159 and
	.ours.emulated and (.ours.patches | .[1].saved_ns.median == 8 and
	(.[2].estimate.holes_read_twice * 100 | round) == 100))' "$OUT")" true "reproduce lruadd --json"
for thread in swapoff mthp; do
	"$SWAPTRACE" reproduce $thread --json $([ $thread = swapoff ] || echo --scale=32) | jq -r .reproduce.thread
done | paste -s -d ' ' >"$WORK/threads"
tap_is "$(cat "$WORK/threads")" "swapoff mthp" "all threads print the same kind of document"

# --- reproduce drain ------------------------------------------------------------------------------------------------
run "$SWAPTRACE" reproduce drain --before "$WORK/case3"
tap_is "$STATUS" 2 "reproduce drain: --before alone is a usage error"
# mmtests: of two values the second quartile is the upper one; the mean falls from 150 to 100 by a third.
echo "100 200" >"$WORK/before"
echo "100 100" >"$WORK/after"
run "$SWAPTRACE" reproduce drain --before "$WORK/before" --after "$WORK/after" --capture "$WORK/case3"
tap_is "$STATUS" 0 "reproduce drain with times"
tap_grep '^Amean        Time      145\.12 \(   0\.00%\)      144\.30 \(   0\.56%\)      150\.00 \(   0\.00%\)      100\.00 \(  33\.33%\)$' \
	"$OUT" "the published row with ours beside it"
tap_grep '^2nd-qrtle    Time .* 200\.00 \(   0\.00%\)      100\.00 \(  50\.00%\)$' "$OUT" "and its quartiles"
tap_is "$(grep -c ' Time ' "$OUT")" 17 "all 17 rows"
run "$SWAPTRACE" reproduce drain --json --capture "$WORK/case3"
tap_is "$(jq -c '[.results[] | .lru.drains]' "$OUT")" "[7,7,3]" "reproduce drain --json"
tap_is "$(jq -c '.reproduce | .thread == "drain" and (.published.rows | length) == 17 and (.published.rows[7] |
	.name == "Max" and .before == 254 and .change == 18.11) and .ours.before.file == "lab-drain-always.times"' "$OUT")" true \
	"with the published rows, and the shipped times beside them"
# 250 files of 64 pages are released in three batches of 31, 31 and 2: 3 drains each, or one. 22 others are not caused
# by releases (processes that begin and end).
run "$SWAPTRACE" reproduce drain
tap_is "$STATUS" 0 "reproduce drain: of shipped times and captures"
tap_grep '^lab-drain-always\.swaptrace +6\.12\.[^ ]+ +always +750 +772 +772 +272$' "$OUT" \
	"reproduce drain: what the kernel did under drain=always, and what drain=once makes of it"
tap_grep '^lab-drain-once\.swaptrace +6\.12\.[^ ]+ +once +750 +272 +772 +272$' "$OUT" \
	"reproduce drain: is what the same kernel did under drain=once, and the reverse"
for rule in always once; do
	"$SWAPTRACE" dump "$TOP/traces/samples/lab-drain-$rule.swaptrace" | grep -c ' DRAIN .*site=__folio_batch_release '
done | paste -s -d ' ' >"$WORK/drains"
tap_is "$(cat "$WORK/drains")" "750 250" "reproduce drain: 750 and 250 of them by releases"
# The middle one of 1,000 sorted values by mmtests' rule: index int(999 * 0.5 + 0.5) = 500, line 501.
for rule in always once; do
	grep -v '^#' "$TOP/traces/samples/lab-drain-$rule.times" | sort -n | sed -n 501p
done | paste -s -d ' ' >"$WORK/medians"
read -r always once <"$WORK/medians"
tap_grep "^2nd-qrtle    Time .* $always\.00 \(   0\.00%\) +$once\.00 \(" "$OUT" "reproduce drain: the medians are those of the files"
[ "$always" -gt "$once" ]
tap_ok $? "reproduce drain: two drains take more instructions than none"
tap_grep 'they are not times of hardware' "$OUT" "reproduce drain: and it says what times these are"
trace nothing '# release=6.12.0' <<<'LOOKUP type=0 off=5 cause=fault'
run "$SWAPTRACE" reproduce drain --capture "$WORK/nothing"
tap_is "$STATUS" 3 "a capture without lru events"
tap_grep "holds no events of the per-CPU batches; record them with 'swaptrace record -e lru'" "$ERR" "and what to do"
tap_is "$(wc -c <"$OUT")" 0 "nothing is printed before it has been read"
cp "$WORK/case3" "$WORK/4.14-truncate.swaptrace"
run env SWAPTRACE_SAMPLES="$WORK" "$SWAPTRACE" reproduce drain
tap_grep 'capture .*/4\.14-truncate\.swaptrace: kernel 4\.14\.0' "$OUT" "a shipped capture is found by its name"
run "$SWAPTRACE" reproduce lruadd --capture "$WORK/case3"
tap_is "$STATUS" 2 "an option of another thread is a usage error"
# A program with no captures beside it.
mkdir "$WORK/alone" && cp "$SWAPTRACE" "$WORK/alone/"
run env -u SWAPTRACE_SAMPLES "$WORK/alone/swaptrace" reproduce drain
tap_is "$STATUS" 3 "reproduce drain without any capture is exit 3"
tap_grep '^Max-99%      Time      198\.00 \(   0\.00%\)      194\.00 \(   2\.02%\)$' "$OUT" \
	"after the published table"
tap_grep "record one with 'swaptrace record -e lru" "$ERR" "with what to do"

tap_end
