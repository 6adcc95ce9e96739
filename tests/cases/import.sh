#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Text of other tools made into traces: case 60 of the list of real-world cases, and lines that mean harm.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

tap_plan 21

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

# --- hostile ------------------------------------------------------------------------------------------
yes 'LOST LOST 1.1: : [] [0] 5 1.1: x:' | tr '\n' ' ' | head -c 200000 >"$WORK/long.txt"
{ echo; cat "$WORK/perf.txt"; } >>"$WORK/long.txt"
run "$SWAPTRACE" import --format perf "$WORK/long.txt" -o "$WORK/long.data"
tap_is "$STATUS $(columns "$WORK/long.data" | wc -l)" "0 3" "a line of 200 kB costs itself alone"
head -c 65536 /dev/urandom >"$WORK/noise"
run "$SWAPTRACE" import --format perf "$WORK/noise" -o "$WORK/perf.data"
tap_is "$STATUS" 3 "noise is unreadable input"
tap_is "$(columns "$WORK/perf.data" | wc -l)" 3 "and leaves the trace that was there"
tap_end
