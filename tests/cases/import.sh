#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Text of other tools made into traces or reports: cases 5, 52 and 60 of the list of real-world cases, and lines
# that mean harm.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

tap_plan 53

# columns FILE: comm and ret of its RA events
columns() {
	"$SWAPTRACE" dump --no-header "$1" 2>/dev/null | sed -nE 's/^[0-9]+ (\S+ \S+ \S+) RA .*(ret=[0-9]+).*/\1 \2/p'
}

# --- perf script (case 60) ------------------------------------------------------------------------
cat >"$WORK/perf.txt" <<'END'
  Web Content  4412/4470 [003]   951.220011:  probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=0x8
  a [b] 12     77 [000]   951.220500:  probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=2
  swapoff   900   951.221000:  probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=4
  garbage line
END
run "$SWAPTRACE" import "$WORK/perf.txt" -o "$WORK/perf.data"
tap_is "$STATUS" 0 "case 60: perf script is recognised"
tap_grep '1 line not understood; the first is line 4' "$ERR" "case 60: the line that is none is counted and named"
# The one number without a slash is the thread: its process is unknown.
columns "$WORK/perf.data" >"$WORK/got"
printf '%s\n' '3 4412 Web\x20Content ret=8' '0 - a\x20[b]\x2012 ret=2' '- - swapoff ret=4' >"$WORK/want"
tap_same "$WORK/got" "$WORK/want" "case 60: CPUs, processes, names and values, read from the right"
run "$SWAPTRACE" report --style argdist "$WORK/perf.data"
tap_is "$(sed -nE 's/^\t([0-9]+) +\$retval = ([0-9]+)/\2:\1/p' "$OUT" | tr '\n' ' ')" "2:1 4:1 8:1 " "case 60: the histogram"
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/perf.data" | grep -o 'tid=.*' | tr '\n' ' ')" "tid=4470 tid=77 tid=900 " "threads are kept"
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/perf.data" | head -n1 | cut -d' ' -f1)" 951220011000 "times are exact"
run "$SWAPTRACE" import --strict "$WORK/perf.txt" -o "$WORK/perf.data"
tap_is "$STATUS" 1 "--strict: a line that was left out is a finding"
run "$SWAPTRACE" import --format perf -o "$WORK/pipe.data" <"$WORK/perf.txt"
tap_is "$STATUS $(columns "$WORK/pipe.data" | wc -l)" "0 3" "--format names it"
run "$SWAPTRACE" import -o "$WORK/pipe.data" < <(cat "$WORK/perf.txt")
tap_is "$STATUS" 3 "a pipe can't be looked at"
tap_grep 'name it with --format' "$ERR" "and the message says what to do"
: >"$WORK/none.txt"
for format in "" "--format text" "--format trace.dat"; do
	for what in "$WORK:is a directory" "$WORK/none.txt:is empty"; do
		# shellcheck disable=SC2086
		run "$SWAPTRACE" import $format "${what%:*}" -o "$WORK/pipe.data"
		tap_is "$STATUS $(grep -c "${what%:*} ${what#*:}" "$ERR")" "3 1" "${format:-by content}: what ${what#*:} can't be imported"
	done
done
run "$SWAPTRACE" import --format dtrace "$WORK/perf.txt" -o "$WORK/pipe.data"
tap_is "$STATUS" 2 "an unknown format is a usage error"
tap_grep 'text, perf' "$ERR" "that lists the known ones"

# Losses, call chains, other events, and what is no value.
cat >"$WORK/more.txt" <<'END'
# captured on    : no matter
swapoff   900 [001]  10.000000001: probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=0x4
        ffffffff81300abc swap_cluster_readahead+0x2c ([kernel.kallsyms])

LOST 42 events!
swapoff   900 [001]  10.5: PERF_RECORD_LOST lost 7
swapoff   900 [001]  11.0: probe:swapin_nr_pages: (ffffffff81300000)
swapoff   900 [001]  12.0: probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=0x123456789abcdef01
swapoff   900 [001]  12.1: probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc)
swapoff   900 [001]  12.2: probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=0xffffffff
swapoff   900 [001]  99999999999999999999.0: probe:swapin_nr_pages__return: (a <- b) arg1=1
swapoff   99999999999 [001]  13.0: probe:swapin_nr_pages__return: (a <- b) arg1=1
swapoff   900 [99999999]  13.0: probe:swapin_nr_pages__return: (a <- b) arg1=1
LOST 99999999999999999999 events!
END
run "$SWAPTRACE" import --format perf "$WORK/more.txt" -o "$WORK/more.data"
tap_is "$(columns "$WORK/more.data" | tr '\n' ' ')" "1 - swapoff ret=4 " "values that can't be are no events"
tap_grep '7 lines not understood; the first is line 8: the return value' "$ERR" "they are counted"
tap_grep '1 unknown event .*: swapin_nr_pages$' "$ERR" "an entry probe tells no window"
run "$SWAPTRACE" info "$WORK/more.data"
tap_grep '^lost +49 ' "$OUT" "42 + 7 lost"
run "$SWAPTRACE" dump --no-header -e LOST "$WORK/more.data"
tap_is "$(tr '\n' ' ' <"$OUT")" "11000000000 1 - - LOST n=7 from=10000000001 to=11000000000 11000000000 - - - LOST n=42 from=10000000001 to=11000000000 " \
	"between the lines around them"
run "$SWAPTRACE" replay --json "$WORK/more.data"
tap_is "$(jq '.results[0].lost' "$OUT")" 49 "loss travels into results"

# --- trace-cmd report (case 52) -------------------------------------------------------------------------
cat >"$WORK/tracecmd.txt" <<'END'
cpus=4
CPU 3 is empty
     kswapd0-71    [001]   812.100001: mm_swap_read: type=1 off=0x210
CPU:2 [LOST 118 EVENTS]
     stress-2210   [002]   812.100950: mm_swap_read: type=1 off=0x218
END
run "$SWAPTRACE" import "$WORK/tracecmd.txt" -o "$WORK/tracecmd.data"
tap_is "$STATUS" 0 "case 52: trace-cmd report is recognised"
tap_grep_none 'not understood' "$ERR" "case 52: no line is left out"
run "$SWAPTRACE" dump "$WORK/tracecmd.data"
grep -v '^#' "$OUT" >"$WORK/got"
# 0x210 = 528, 0x218 = 536. Nothing was seen of CPU 2 before the gap, so where it began is unknown.
cat >"$WORK/want" <<'END'
812100001000 1 - kswapd0 READ type=1 off=528 tid=71
812100950000 2 - - LOST n=118 to=812100950000
812100950000 2 - stress READ type=1 off=536 tid=2210
END
tap_same "$WORK/got" "$WORK/want" "case 52: two events, and 118 lost on CPU 2 before 812.100950"
tap_grep '^# note cpu=3 recorded nothing$' "$OUT" "case 52: CPU 3 is empty"
tap_grep '^# .*cpus=4' "$OUT" "the number of CPUs is kept"
run "$SWAPTRACE" import --strict "$WORK/tracecmd.txt" -o "$WORK/tracecmd.data"
tap_is "$STATUS" 1 "--strict: loss is a finding"

# ftrace's own file: flags, processes, forgotten names, losses without a number, kretprobes, the LRU.
cat >"$WORK/ftrace.txt" <<'END'
# tracer: nop
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
            dd-12      (   12) [000] d..1.     5.000001: mm_lru_insertion: page=00000000c6d6b5a8 pfn=0x1 lru=1 flags=MaSb
 Web-Content-9-4470    (4412)  [000] .....     5.000002: mm_lru_activate: page=00000000c6d6b5a8 pfn=0x1
         <...>-30      (-----) [000] .....     5.000003: r_swapin_nr_pages_0: (swap_cluster_readahead+0x2c/0x200 <- swapin_nr_pages) arg1=0x8
CPU:0 [LOST EVENTS]
CPU:0 [7 EVENTS DROPPED]
CPU:70000 [LOST 1 EVENTS]
CPU:1 [LOST 0 EVENTS]
          dd-12      (   12) [000] .....     5.000009: swap_readpage: type=0 off=x
          dd-12      (   12) [000] .....     5.000010: sched_switch: prev_comm=1.5: prev=1
END
run "$SWAPTRACE" import "$WORK/ftrace.txt" -o "$WORK/ftrace.data"
tap_grep '3 lines not understood; the first is line 8' "$ERR" "an impossible CPU, a loss of nothing, an offset that is not a number"
tap_grep '1 unknown event .*: sched_switch$' "$ERR" "an event that means nothing here is named"
run "$SWAPTRACE" dump "$WORK/ftrace.data"
grep -v '^#' "$OUT" >"$WORK/got"
cat >"$WORK/want" <<'END'
5000001000 0 12 dd LRUADD op=add n=1
5000002000 0 4412 Web-Content-9 LRUADD op=activate n=1 tid=4470
5000003000 0 - - RA mode=cluster ret=8 how=probed tid=30
5000009000 0 - - LOST n=8 from=5000003000 to=5000009000
END
tap_same "$WORK/got" "$WORK/want" "flags, processes, names with dashes, moves to the LRU lists"
tap_is "$(grep -c -e '^# note LRUADD has the time' -e '^# note lost .*at least' "$OUT")" 2 "what is not known is said in the trace"

# --- hostile ------------------------------------------------------------------------------------------
yes 'LOST LOST 1.1: : [] [0] 5 1.1: x:' | tr '\n' ' ' | head -c 200000 >"$WORK/long.txt"
{ echo; cat "$WORK/perf.txt"; } >>"$WORK/long.txt"
run "$SWAPTRACE" import --format perf "$WORK/long.txt" -o "$WORK/long.data"
tap_is "$STATUS $(columns "$WORK/long.data" | wc -l)" "0 3" "a line of 200 kB costs itself alone"
head -c 65536 /dev/urandom >"$WORK/noise"
run "$SWAPTRACE" import --format perf "$WORK/noise" -o "$WORK/perf.data"
tap_is "$STATUS" 3 "noise is unreadable input"
tap_is "$(columns "$WORK/perf.data" | wc -l)" 3 "and leaves the trace that was there"

# --- thp_swap_allocator_test (case 5) --------------------------------------------------------------------
# The percentage the test prints is not what is reported: 36 would stand here for 36.35.
{
	n=0
	for counts in '960 0 0.00' '958 2 0.21' '611 349 36.35' '102 858 89.38' '0 960 100.00' '0 0 -nan'; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # three words
		printf 'Iteration %d: swpout inc: %d, swpout fallback inc: %d, Fallback percentage: %s%%\n' $n $counts
	done
} >"$WORK/tsat.txt"
run "$SWAPTRACE" report "$WORK/tsat.txt"
tap_is "$STATUS" 0 "case 5: output of thp_swap_allocator_test is recognised"
tap_is "$(sed -nE 's/^ *([1-6])  +[0-9]+  +[0-9]+  +(.*)/\1=\2/p' "$OUT" | tr -d ' %' | tr '\n' ' ')" \
	"1=0.00 2=0.21 3=36.35 4=89.38 5=100.00 6=n/a " "case 5: percentages from the counts, no data is n/a"
tap_grep 'first iteration above 50 %: 4 \(89\.38 %\)' "$OUT" "case 5: the first iteration above 50 %"
tap_grep '1 of 6 iterations swapped nothing out' "$OUT" "an iteration without data is told"
tap_grep 'Share of mTHP swap-outs that fell back' "$OUT" "case 5: a plot over the iterations"
tap_grep_none 'warning|stated' "$ERR" "and nothing to warn of"
run "$SWAPTRACE" report --threshold 90% "$WORK/tsat.txt"
tap_grep 'first iteration above 90 %: 5 ' "$OUT" "--threshold 90%"
run "$SWAPTRACE" report --threshold 100 "$WORK/tsat.txt"
tap_grep 'no iteration above 100 %' "$OUT" "100 % is not above 100 %, and nan is neither"
run "$SWAPTRACE" report --json "$WORK/tsat.txt"
tap_is "$(jq -c '[.swaptrace, .runs[0].first_above, .runs[0].iterations[5].fallback_pct]' "$OUT")" '["iterations",4,null]' \
	"JSON: null where there is no data"
sed 's/36.35/63.35/' "$WORK/tsat.txt" >"$WORK/wrong.txt"
run "$SWAPTRACE" report "$WORK/wrong.txt" "$WORK/tsat.txt"
tap_grep 'wrong\.txt: 1 stated percentages are not those of their counts' "$OUT" "a percentage that is not that of its counts"
# 349 / 960 = 0.363541...
run "$SWAPTRACE" report -o "$WORK/report" --format html,csv "$WORK/tsat.txt"
tap_is "$STATUS $(head -n4 "$WORK/report/iterations.csv" | tail -n1)" "0 3,611,349,36.3542" "-o writes the table"
run "$SWAPTRACE" report --threshold 101 "$WORK/tsat.txt"
tap_is "$STATUS" 2 "no percentage is above 100"
run "$SWAPTRACE" report --threshold 50 "$WORK/perf.data"
tap_is "$STATUS" 2 "--threshold is of no use to a trace"
run "$SWAPTRACE" report "$WORK/tsat.txt" "$WORK/perf.data"
tap_is "$STATUS" 2 "iterations and traces do not mix"
cat "$WORK/tsat.txt" "$WORK/tsat.txt" >"$WORK/twice.txt"
run "$SWAPTRACE" report "$WORK/twice.txt"
tap_is "$STATUS $(grep -c 'line 7: iteration 1 after 6' "$ERR")" "3 1" "two runs in one file are not one run"
sed 's/inc: 611/inc: 99999999999999999999/' "$WORK/tsat.txt" >"$WORK/huge.txt"
run "$SWAPTRACE" report "$WORK/huge.txt"
tap_is "$STATUS $(grep -c 'line 3 can.t be read' "$ERR")" "3 1" "a count beyond 64 bits is refused"
tap_end
