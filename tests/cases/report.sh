#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reports: cases 1, 8, 11, 14, 15, 17, 20, 26, 56, 59, 61, 64, 66, 67 and 68 of the list of real-world cases. Expected
# values are the cases' own unless a line says how they follow.
# shellcheck disable=SC2016 # $retval is argdist's, not the shell's
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

tap_plan 131
cd "$WORK" || exit 1

# trace NAME HEADER: a text notation of the event lines on standard input.
trace() {
	{
		printf '# swaptrace text 1\n%b' "$2"
		cat
	} >"$1"
}

report() {
	run "$SWAPTRACE" report "$@"
}

# has TEXT DESCRIPTION: the report says so, literally.
has() {
	local status=0
	grep -qF -e "$1" "$OUT" || status=1
	tap_ok $status "$2" || { echo "not there: $1"; cat "$OUT" "$ERR"; } | tap_comment
}

# stub NAME SCRIPT: a folder with a gnuplot of our own, and what a script needs.
stub() {
	mkdir "$1"
	[ -z "$2" ] || printf '#!/bin/sh\n%s\n' "$2" >"$1/gnuplot"
	[ -z "$2" ] || chmod +x "$1/gnuplot"
}

# --- case 1: argdist before and after -------------------------------------------------------
cat >before.txt <<'EOF2'
[10:02:11]
r::swapin_nr_pages(unsigned long offset):unsigned long:$retval
    COUNT      EVENT
    21044      $retval = 8
    25310      $retval = 4
    31877      $retval = 1
    301769     $retval = 2
EOF2
cat >after.txt <<'EOF2'
    905        $retval = 1
    3118       $retval = 2
    24402      $retval = 4
    61575      $retval = 8
EOF2
report before.txt after.txt --time A=14.2s --time after.txt=8.1s
tap_is "$STATUS" 0 "case 1: two argdist tables side by side"
tap_grep 'readahead calls +380,000 +90,000 +-76\.32 %$' "$OUT" "case 1: calls"
tap_grep 'drains by readahead +348,123 +89,095 +-74\.41 %$' "$OUT" "case 1: drains"
tap_grep 'mean window \(pages\) +2\.382 +6\.637 ' "$OUT" "case 1: mean windows"
tap_grep 'measured time \(s\) +14\.20 +8\.10 +-42\.96 %$' "$OUT" "case 1: times"
tap_grep '^ +1 +31,877 +8\.39 % +8\.39 % +905 +1\.01 % ' "$OUT" "case 1: window 1"
tap_grep '^ +2 +301,769 +79\.41 % +87\.80 % +3,118 +3\.46 % ' "$OUT" "case 1: window 2"
tap_grep '^ +4 +25,310 +6\.66 % +94\.46 % +24,402 +27\.11 % ' "$OUT" "case 1: window 4"
tap_grep '^ +8 +21,044 +5\.54 % +100\.00 % +61,575 +68\.42 % ' "$OUT" "case 1: window 8"
# 31877 + 2*301769 + 4*25310 + 8*21044 = 905,007 would be the sum of the windows, which nobody read.
tap_grep_none '905,?007' "$OUT" "case 1: the sum of the windows is not called pages read"
tap_grep_none 'pages read  ' "$OUT" "case 1: pages read are not made up"

# --- T1's published table, byte for byte ------------------------------------------------------
for row in "1 1618" "2 4960" "4 41315" "8 103521"; do
	yes "RA mode=cluster ret=${row% *}" | head -n "${row#* }"
done | awk '{ printf "%d 0 1 swapoff %s\n", NR, $0 }' | trace t1 ""
printf 'r::swapin_nr_pages(unsigned long offset):unsigned long:$retval\n' >t1.want
printf '\tCOUNT      EVENT\n\t1618       $retval = 1\n\t4960       $retval = 2\n' >>t1.want
printf '\t41315      $retval = 4\n\t103521     $retval = 8\n' >>t1.want
report --style argdist t1
tap_same "$OUT" t1.want "--style argdist prints T1's patched table as argdist did"
"$SWAPTRACE" import t1 -o t1.bin 2>/dev/null
report --style argdist t1.bin
tap_same "$OUT" t1.want "and the same from the binary trace"
"$SWAPTRACE" report --style argdist - <t1 >"$OUT" 2>"$ERR"
tap_same "$OUT" t1.want "and from standard input"
seq 40 | sed 's/.*/& 0 1 c LOOKUP type=0 off=& cause=fault/' | trace needs "# release=6.12.0 page_cluster=3 vma_ra=0\n"
"$SWAPTRACE" replay -q -o whatif.json --policy page-cluster=0 needs >"$OUT" 2>"$ERR"
report --style argdist whatif.json
tap_grep '^page-cluster=0 \(what-if\)$' "$OUT" "a what-if is called one in this style, too"
report t1.want
has "151,414 calls, mean window 6.637" "what argdist printed is read back (facts: mean 6.637)"

# --- case 8: hits -----------------------------------------------------------------------------
{
	echo "10 0 1 a LOOKUP type=0 off=18 cause=fault hit=0"
	echo "11 0 1 a RA mode=cluster type=0 off=18 ret=8"
	for off in 16 18 19 22 23; do
		[ $off = 18 ] && cause=demand || cause=ra
		echo "12 0 1 a READ type=0 off=$off n=1 cause=$cause"
	done
	echo "20 0 1 a LOOKUP type=0 off=16 cause=fault hit=1 ra=1"
	echo "21 0 1 a LOOKUP type=0 off=19 cause=fault hit=1 ra=1"
	echo "22 0 1 a LOOKUP type=0 off=16 cause=fault hit=1 ra=0"
} | trace case8 "# release=6.12.0 page_cluster=3\n"
report case8
tap_grep '^pages read +5$' "$OUT" "case 8: pages read"
tap_grep '^readahead pages +4$' "$OUT" "case 8: readahead pages"
tap_grep '^readahead hits +2$' "$OUT" "case 8: hits"
tap_grep '^hit rate +50\.00 %$' "$OUT" "case 8: rate"
has "Readahead pages are pages newly read by readahead" "case 8: the definition is stated"
has "swap_ra and swap_ra_hit of /proc/vmstat: n/a (counter missing)" "case 8: no counter is not a counter of 0"

# --- case 11: bypassed ------------------------------------------------------------------------
seq 40000 | sed 's/.*/& 0 1 a LOOKUP type=0 off=& cause=fault/' |
	trace case11 "# device type=0 pages=50000 flags=ssd,sync_io,blkdev name=/dev/zram0\n"
report case11
tap_is "$STATUS" 0 "case 11: no readahead is no failure"
has "readahead: bypassed for 40,000 of 40,000 swap-ins (SWP_SYNCHRONOUS_IO)" "case 11: bypassed"
tap_grep '^readahead calls +bypassed$' "$OUT" "case 11: neither 0 nor n/a"
printf '1 0 1 a LOOKUP type=0 off=3 cause=fault hit=1\n' |
	trace zero "# probe event=RA symbol=swap_cluster_readahead hits=0\n"
report zero
has "readahead: 0 calls" "case 11: no call is told from bypassed"
printf '1 0 1 a FREE type=0 off=3 n=1\n' |
	trace failed "# probe event=RA symbol=swap_cluster_readahead hits=12\n"
report failed
has "its probe ran but no event arrived" "case 11: and from a failed recording"

# --- case 14: 64 bits -------------------------------------------------------------------------
printf '5012345678 $retval = 1\n4294967296 $retval = 8\n' >case14
report case14
has "9,307,312,974 calls, mean window 4.230" "case 14: total and mean"
tap_grep '^ +1 +5,012,345,678 +53\.85 %' "$OUT" "case 14: share of window 1"
tap_grep '^ +8 +4,294,967,296 +46\.15 %' "$OUT" "case 14: share of window 8"
printf '1200M $retval = 1\n9.0K $retval = 2\n' >case14k
report case14k
has "from rounded values" "case 14: suffixes are marked"
tap_grep '^ +1 +1,200,000,000 ' "$OUT" "case 14: and counted"

# --- case 15: one page at a time --------------------------------------------------------------
seq 14336 | sed 's/.*/&000000 0 1 a RA mode=cluster ret=1/' | trace case15 ""
report case15
has "100 % of calls read one page" "case 15: all calls"
has "a window of 8 would need 1,792 reads" "case 15: what a window of 8 would need"
has "upper bound" "case 15: as an upper bound"

# --- case 17: swapoff killed half-way ----------------------------------------------------------
{
	echo "2000000000 0 7 swapoff SWAPOFF op=begin type=1"
	seq 300 | awk '{ printf "%.0f 0 7 swapoff LOOKUP type=1 off=%d cause=swapoff\n", 2e9 + $1 * 7.4e9 / 300, $1 }'
	echo "30000000000 0 9 other FREE type=0 off=9 n=1"
} | trace case17 ""
report case17
has "swapoff type 1: incomplete, 300 pages in 7.4 s (40.5 pages/s), last progress at 9.4 s" "case 17: incomplete"

# --- case 20: settings that change -------------------------------------------------------------
{
	seq 0 39 | sed 's/.*/&00000000 0 1 x RA mode=vma ret=8/'
	echo "5000000000 - - - CONFIG page_cluster=8 vma_ra=0"
	seq 51 62 | sed 's/.*/&00000000 0 1 x RA ret=256/'
	seq 63 65 | sed 's/.*/&00000000 0 1 x RA ret=128/'
	echo "9000000000 - - - CONFIG page_cluster=3 vma_ra=1"
} | trace case20 "# release=6.12.0 page_cluster=3 vma_ra=1\n"
report case20
tap_is "$STATUS" 0 "case 20: a window above the first limit is no error"
tap_grep '^phase 1 from 0\.0 s, page_cluster=3, vma_ra=1; VMA \{8: 40\}' "$OUT" "case 20: first phase"
tap_grep '^phase 2 from 5\.0 s, page_cluster=8, vma_ra=0; cluster \{128: 3, 256: 12\}' "$OUT" "case 20: second phase"
tap_grep_none '^phase 3' "$OUT" "case 20: a phase without calls is not shown"
tap_grep '^warning: settings changed while recording: .*merge' "$OUT" "case 20: merging would be wrong"
report --strict case20
tap_is "$STATUS" 1 "case 20: a finding under --strict"

# --- case 56: offsets --------------------------------------------------------------------------
seq 10 | sed 's/.*/& 0 1 a RA type=0 off=0 ret=8/' | trace case56 "# device type=0 pages=1024\n"
report case56
has "offset field not readable on this kernel?" "case 56: all offsets 0"
tap_grep_none '^window ' "$OUT" "case 56: no window table then"
seq 400 | awk '{ printf "%d 0 1 a RA type=0 off=%d ret=8\n", $1, $1 <= 12 ? 1024 : $1 }' |
	trace case56b "# device type=0 pages=1024\n"
report case56b
has "12 of 400 offsets outside the device, ignored" "case 56: some outside"

# --- case 59: hostile names --------------------------------------------------------------------
n=0
for comm in '\xe4bc' '\x1b[31mx' 'a"\x5cb' 'a\x0ab' '\xf0\x9f\x90' '\x' '--help' "a';\\x20system(\"id\")\\x20#"; do
	n=$((n + 1))
	printf '%s\n' "$n 0 $n $comm LOOKUP type=0 off=$n cause=fault"
done | trace case59 ""
report case59
has '\xe4bc' "case 59: a byte that is no UTF-8"
has '\x1b[31mx' "case 59: an escape sequence is shown, not sent"
tap_is "$(tr -d '\n\040-\176' <"$OUT" | wc -c)" 0 "case 59: nothing but printable characters"
report --json case59
tap_grep '"comm": "\\\\x1b\[31mx"' "$OUT" "case 59: JSON"
cp "$OUT" case59.json
report case59.json
tap_is "$STATUS" 0 "case 59: which is valid"
HOSTILE="a'; system(\"touch bad\") #\`touch bad\`<b>"
cp before.txt "$HOSTILE"
report "$HOSTILE" -o hostile
tap_is "$STATUS" 0 "case 59: a file name that is a gnuplot statement"
tap_grep "'a''; system\(" hostile/windows.gp "case 59: is only quoted data in the script"
tap_is "$(find . -name bad)" "" "case 59: and is not run"
tap_grep_none '<b>' hostile/report.html "case 59: nor markup in the page"

# --- case 61: JSON -----------------------------------------------------------------------------
printf '9007199254740993 $retval = 1\n' >big
report --json big
tap_grep '"1": 9007199254740993' "$OUT" "case 61: exact"
printf '1 0 1 a READ type=0 off=1 n=1 cause=demand\n2 0 1 a RA ret=1\n' |
	trace loss "# loss cpu=0 n=7\n"
report --json loss
tap_grep '"hit_percent": null' "$OUT" "case 61: 0 of 0 is null"
tap_grep '"schema": 1' "$OUT" "case 61: versioned"
tap_is "$(grep -ciE 'nan|inf"' "$OUT")" 0 "case 61: no NaN"
report loss
has "warning: 7 of 9 events (77.78 %) were lost while recording" "loss is shown with its share" # 2 are there
report --strict loss
tap_is "$STATUS" 1 "and is a finding under --strict"
report --format json,csv loss
tap_is "$STATUS" 2 "two formats do not go to one standard output"

report before.txt before.txt
tap_grep 'readahead calls +380,000 +380,000 +\+0\.00 %' "$OUT" "a file may be compared with itself"
tap_is "$(sed -n 's/^[AB]  \([^ ]*\( ([0-9])\)*\) .*/\1/p' "$OUT" | sort -u | wc -l)" 2 "under two names"

# --- results of a replay -----------------------------------------------------------------------
"$SWAPTRACE" replay case8 --policy page-cluster=0 -o r.json >/dev/null 2>&1
report r.json
tap_grep '^ +recorded +page-cluster=0 \(what-if\) +change$' "$OUT" "a result file: the what-if is labelled"
tap_grep '^mean window \(pages\) +[0-9.]+ +1\.000' "$OUT" "and page-cluster 0 has windows of 1"
# Case 26 on a synchronous device: whatever the setting, the 50 needs go around the swap cache.
for off in $(seq 64 73) $(seq 1024 1033) $(seq 2048 2057) $(seq 3000 3009) 17 3900 700 2500 900 3333 1500 222 3700 40; do
	echo "$off 0 1 a LOOKUP type=0 off=$off cause=fault count=1"
done | awk '{ $1 = NR; print }' | trace sync "# release=6.12.0\n# device type=0 pages=4096 flags=ssd,sync_io\n"
"$SWAPTRACE" replay sync --policy page-cluster=5 -o sync.json >/dev/null 2>&1
report sync.json
tap_is "$(grep -c 'bypassed for 50 of 50 swap-ins (SWP_SYNCHRONOUS_IO)' "$OUT")" 2 "case 26: bypassed whatever page-cluster is"
tap_grep '^readahead calls +bypassed +bypassed' "$OUT" "case 26: calls are neither 0 nor unknown"
sed 's/"schema": 1/"schema": 99/' r.json >newer.json
report newer.json
tap_is "$STATUS" 3 "a result file of a newer version is refused"
tap_grep 'newer\.json: written by a newer version' "$ERR" "by name"

# --- case 64: full disk ------------------------------------------------------------------------
if [ -c /dev/full ]; then
	"$SWAPTRACE" report case8 >/dev/full 2>"$ERR"
	tap_is $? 4 "case 64: a full disk is a failure"
	tap_grep 'No space left' "$ERR" "case 64: with its reason"
else
	tap_skip "case 64: a full disk is a failure" "no /dev/full"
	tap_skip "case 64: with its reason" "no /dev/full"
fi

echo text >file
report before.txt -o file
tap_is "$STATUS" 4 "-o names a file: the environment is at fault"
tap_grep "cannot write a report into 'file', name a folder for it: Not a directory" "$ERR" "and the message says what to do"

# --- case 31: maps of bpftrace -------------------------------------------------------------
cat >maps <<'EOF2'
Attaching 2 probes...


@swapin[Web Content, 4412]: 310
@swapin[kworker/u16:2, 88]: 12
@swapin[a]b, c, 901]: 5
@swapin[, 77]: 1
EOF2
report maps
tap_is "$STATUS" 0 "case 31: a dump of a map by comm and pid"
has "@swapin: 4 rows, total 328" "case 31: rows and total"
has "Web Content    4412    310  94.51 %" "case 31: blanks in a name" # 310 / 328
has "a]b, c          901      5   1.52 %" "case 31: the pid stands behind the last comma"
has "<empty>          77      1   0.30 %" "case 31: a name that is empty"
report --json - <maps
tap_is "$(jq -c '[.files[0].lost, .files[0].maps[0].total, (.files[0].maps[0].rows[] | [.key, .pid, .count])]' "$OUT")" \
	'[null,328,["Web Content",4412,310],["kworker/u16:2",88,12],["a]b, c",901,5],["",77,1]]' \
	"case 31: the same in JSON; loss is unknown"
{ cat maps && printf '\nprinted again\n@swapin[x, 1]: 7\n@words[a]: none\n'; } >twice
report twice
has "@swapin was printed 2 times and cleared in between; the sum is shown" "a map whose keys are gone was cleared"
has "@swapin: 5 rows, total 335" "and its counts are added up" # 328 + 7
has "1 maps or lines hold no counts and are left out; the first is in line 11" "other values are not taken for counts"
report --json twice
tap_is "$STATUS $(jq -c '.files[0].left_out' "$OUT")" "0 1" "so does JSON"
report --strict twice
tap_is "$STATUS" 1 "--strict: what is left out is a finding"
report --json maps
cp "$OUT" maps.want
report -o out-maps maps
tap_same out-maps/report.json maps.want "a folder gets the JSON of maps, too"
report maps before.txt
tap_is "$STATUS" 2 "maps stand in a report of their own"

# --- case 61: the same as JSON -------------------------------------------------------------
cat >maps.json <<'EOF2'
Attaching 2 probes...
{"type": "attached_probes", "data": {"probes": 2}}
{"type": "lost_events", "data": {"events": 5}}
{"type": "map", "data": {"@swapin": {"Web Content,4412": 9007199254740993, "a]b, c,901": "9223372036854775807"}}}
{"type": "map", "data": {"@never": {"a,1": 0}}}
{"type": "hist", "data": {"@usecs": {"get_swap_pages": [{"max": -1, "count": 1}, {"min": 8, "max": 15, "count": 1204}]}}}
{"type": "lost_events", "count": 2, "data": {"events": 2}}
{"type": "stats", "data": {"@s": {"count": 1, "average": 2, "total": 2}}}
{"type": "map", "data": {"@cut
EOF2
report maps.json
tap_is "$STATUS" 0 "case 61: objects among other lines"
has "maps.json: 7 events were lost while recording" "case 61: losses add up" # 5 + 2
has "2 maps or lines hold no counts and are left out; the first is in line 8" "case 61: a cut line and a map of averages"
tap_grep '^Web Content +4412 ' "$OUT" "case 61: a key is split as in text"
report --json maps.json
tap_is "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["files"][0]["maps"][0]["rows"][1]["count"])' "$OUT" 2>/dev/null ||
	grep -o 9007199254740993 "$OUT")" 9007199254740993 "case 61: one JSON document with the exact count"
tap_grep '"share_pct": null' "$OUT" "case 61: 0/0 is null"
tap_grep '"lost": 7' "$OUT" "case 61: lost events are carried over"
report --strict --json maps.json
tap_is "$STATUS" 1 "--strict: they are a finding"
run "$SWAPTRACE" compare --json maps.json maps.json
tap_is "$(jq -c '[.histograms[0].buckets[] | [.low, .high, .count]]' "$OUT")" '[[null,0,1],[8,16,1204]]' \
	"compare takes the histograms"
tap_grep '7 events were lost' "$ERR" "and tells of the loss"
printf '%s\n' '{"type": "map", "data": {"@a": {"x,1": 1, "x,1": 2}}}' >equal.json
report equal.json
tap_is "$STATUS" 3 "keys that have become equal are not counts"

# --- case 66: gnuplots -------------------------------------------------------------------------
stub none ''
PATH=$WORK/none report before.txt after.txt -o out-none
tap_is "$STATUS" 0 "case 66: no gnuplot is no failure"
tap_grep 'gnuplot is not installed' "$ERR" "case 66: but a note"
tap_grep '####' out-none/report.txt "case 66: text plot"
tap_grep '####' out-none/report.html "case 66: in the page as well"
tap_is "$([ -s out-none/windows.gp ] && [ -s out-none/windows.dat ] && echo both)" both "case 66: .gp and .dat are there"
stub dumb 'case "$*" in *"set terminal dumb"*) /bin/echo plot >windows.txt ;; *windows*) exit 1 ;; *) echo "  dumb  ascii art" >&2 ;; esac'
PATH=$WORK/dumb report before.txt after.txt -o out-dumb
tap_is "$STATUS" 0 "case 66: a gnuplot that only draws with characters"
tap_is "$(cat out-dumb/windows.txt)" plot "case 66: draws a text plot"
stub silent 'exit 0'
PATH=$WORK/silent report before.txt after.txt -o out-silent
tap_is "$STATUS" 1 "case 66: a gnuplot that writes nothing"
tap_grep 'gnuplot wrote no file' "$ERR" "case 66: is found out"
# One that never ends: asked for its terminals, or at a picture, or after it has closed its output.
stub hangs 'sleep 300'
stub stalls 'case "$*" in *windows*) sleep 300 ;; *) echo "svg x"; echo "png x" ;; esac'
stub deaf 'case "$*" in *windows*) exec >/dev/null 2>&1; sleep 300 ;; *) echo "svg x"; echo "png x" ;; esac'
for kind in hangs stalls deaf; do
	SECONDS=0
	PATH=$WORK/$kind:$PATH report before.txt after.txt -o "out-$kind" --gnuplot-timeout 1
	tap_is "$STATUS $((SECONDS < 20))" "1 1" "a gnuplot that never ends ($kind) is stopped"
	tap_grep 'gnuplot did not come to an end in 1 s' "$ERR" "and the pictures count as not written"
done
if command -v gnuplot >/dev/null; then
	DIR="-o d\"i r'"
	DISPLAY='' report before.txt after.txt -o "$DIR"
	tap_is "$STATUS" 0 "case 66: a folder with blank, quotes and leading dash"
	tap_is "$(head -c 8 "./$DIR/windows.png" | od -An -c | tr -d ' \n')" '211PNG\r\n032\n' "case 66: PNG"
	tap_grep '<svg' "./$DIR/windows.svg" "case 66: SVG"
	tap_is "$(grep -c '<svg' "./$DIR/report.html")" 1 "the page holds the picture"
	tap_grep_none 'src=|<link|<script|url\(http' "./$DIR/report.html" "and needs nothing else"
	mkdir plain && cp "./$DIR"/windows.gp "./$DIR"/windows.dat plain
	(cd plain && gnuplot windows.gp) 2>"$ERR"
	tap_is "$(head -c 5 plain/windows.svg)" '<?xml' "the script runs by hand"
else
	for what in folder PNG SVG page self-contained script; do
		tap_skip "case 66: $what" "no gnuplot"
	done
fi

# --- case 67: empty and one-value data ---------------------------------------------------------
SILENCE="no readahead events (VMA mode or synchronous swap device? see header)"
trace empty "# release=6.12.0\n" </dev/null
report empty -o out-empty
tap_is "$STATUS $(find out-empty -name '*.gp' | wc -l)" "0 0" "case 67: header only: no plot, no failure"
report empty
has "$SILENCE" "case 67: header only: the likely reason"
tap_grep '^mean window \(pages\) +n/a$' "$OUT" "case 67: no mean"
printf '1 0 1 a FREE type=0 off=3 n=1\n' | trace frees ""
report frees
has "$SILENCE" "case 67: only FREE events"
seq 5 | sed 's/.*/7 0 1 a RA ret=2/' | trace one ""
PATH=$WORK/none report one -o out-one
tap_grep ' 2 \|#+ 100\.00 %$' out-one/report.txt "case 67: one bar of 100 %"
tap_is "$(cat out-one/*.gp | grep -E '^set [xy]range' | grep -vcE '\[-?[0-9.]+:[0-9.]+\]$')" 0 "case 67: finite ranges"
tap_is "$(grep -liE '[^a-z]nan[^a-z]|[^a-z]inf[^a-z]' out-one/report.txt out-one/*.csv out-one/report.json)" "" "case 67: no nan"

# --- case 68: locales --------------------------------------------------------------------------
report before.txt case8 --time A=3,08
cp "$OUT" c.txt
# Where its sources are there, the locale really has a decimal comma.
localedef -f UTF-8 -i de_DE "$WORK/de_DE.UTF-8" >/dev/null 2>&1 && export LOCPATH=$WORK
run env LC_ALL=de_DE.UTF-8 "$SWAPTRACE" report before.txt case8 --time A=3,08
tap_same "$OUT" c.txt "case 68: byte for byte in a German locale"
run env LC_ALL=xx_XX "$SWAPTRACE" report before.txt case8 --time A=3,08
tap_same "$OUT" c.txt "case 68: and in one that is not installed"
tap_grep 'measured time \(s\) +3\.08' "$OUT" "case 68: 3,08 is 3.08"
printf '12,345 $retval = 2\n' >comma
report comma
tap_grep '^ +2 +12,345 ' "$OUT" "case 68: 12,345 counts"
printf '5 $retval = 1\n1.234,5 $retval = 2\n' >marks
report marks
tap_is "$STATUS" 3 "case 68: both marks are refused"
tap_grep 'marks: line 2' "$ERR" "case 68: by line"
tap_end
