#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Output of other tools as people paste it (tests/data/field): the numbers that are in it, and the answers that people
# worked out of it by hand. Right values are of the posts themselves, or calculated beside the test.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 26
D=$TOP/tests/data/field
cd "$WORK" || exit 1

compare() {
	run "$SWAPTRACE" compare "$@"
}

# query FILTER ARGS...: compact answer of jq to a comparison in JSON; metric("NAME") is a metric, change("NAME") its
# change of the second input against the first in hundredths.
query() {
	local filter=$1
	shift
	"$SWAPTRACE" compare --json "$@" 2>/dev/null | jq -c "def metric(n): .metrics[] | select(.name == n);
		def mean(n): metric(n) | [.inputs[] | .mean];
		def change(n): metric(n).changes[1].vs_base * 100 | round / 100;
		def points(n): metric(n).changes[1].difference * 100 | round / 100; $filter"
}

# --- C10: two readings of a state ------------------------------------------------------------------
tap_is "$(query 'metric("Swap/used") | [.kind, .inputs[0].mean, .inputs[1].mean, .changes[1].difference, .changes[1].test.refused]' \
	"$D/free1" "$D/free2")" '["gauge",6238388,5238388,-1000000,"no repeated runs"]' "C10: free: a million kB went"
compare "$D/free1" "$D/free2"
tap_grep '^Swap/used \(kB\) +6,238,388 +5,238,388 +-1,000,000 ' "$OUT" "C10: also in text"
tap_grep_none 'significant' "$OUT" "C10: without a verdict"
tap_is "$(query '[metric("/dev/vda5/Used").changes[1].difference, metric("/dev/vda5/Size").changes[1].difference,
	metric("/dev/vda5/Priority").inputs[1].mean, metric("/swapfile/Used").changes[1].difference]' "$D/swaps1" "$D/swaps2")" \
	"[-300000,0,-1,0]" "C10: /proc/swaps: 300,000 kB went, sizes and priorities stayed"
compare "$D/free1"
tap_is "$STATUS" 2 "C10: one reading has nothing to be compared with"

# --- C17: vmstat -s, 300 s apart: 1,000 and 3,000 pages, 10 a second out ----------------------------
tap_is "$(query '[metric("pages swapped in"), metric("pages swapped out")] | map(.kind, .changes[1].difference, .changes[1].vs_base, (.changes[1].per_second * 100 | round / 100))' \
	--interval 300 "$D/vmstats.txt" "$D/vmstats2.txt")" '["counter",1000,null,3.33,"counter",3000,null,10]' \
	"C17: vmstat -s: difference and rate, no per cent"
compare "$D/vmstats.txt" "$D/vmstats2.txt"
tap_grep 'give --interval SEC for rates' "$OUT" "C17: no rate without a time"
tap_grep '^3 counters did not move$' "$OUT" "C17: counters that stayed are counted"
compare --interval 0 "$D/vmstats.txt" "$D/vmstats2.txt"
tap_is "$STATUS" 2 "C17: no interval of 0 s"

# --- /proc/vmstat: the same ------------------------------------------------------------------------
printf 'nr_free_pages 900\npswpin 888\npswpout 12290\nswap_ra 1000\nswap_ra_hit 600\n' >vm1
printf 'nr_free_pages 800\npswpin 1888\npswpout 15290\nswap_ra 1500\nswap_ra_hit 900\n' >vm2
tap_is "$(query '[metric("nr_free_pages").kind, metric("pswpin").changes[1].difference, metric("pswpin").changes[1].vs_base]' vm1 vm2)" \
	'["gauge",1000,null]' "/proc/vmstat: states are states, counters give a difference"
compare vm2 vm1
tap_grep '^4 counters fell: the readings are of different boots' "$OUT" "counters that fell give none"
tap_is "$(query '[metric("pswpin").changes[1].difference]' vm2 vm1)" "[null]" "nor in JSON"
sed 's/888/8x8/' vm1 >vm3
compare vm1 vm3
tap_is "$STATUS" 3 "a garbled count is refused"
tap_grep "vm3: line 2: /proc/vmstat: 'pswpin' has no count behind it" "$ERR" "with its line and format"

# --- sar: the average line repeats the others ------------------------------------------------------
tap_is "$(query '[metric("pswpin/s"), metric("pswpout/s")] | map(.inputs[0].n, (.inputs[0].mean * 100 | round / 100))' "$D/sar3.txt")" \
	"[6,1.25,6,5.5]" "sar -W with AM and PM: the tool's own averages are met"
sed 's/ [AP]M//; s/12:05:01/12:05:01/' "$D/sar3.txt" >sar24
tap_is "$(query '[metric("pswpout/s").inputs[0].values[]]' sar24)" "[0,0,0,28.68,3.76,0.53]" "sar -W, 24 h"
tr . , <"$D/sar3.txt" | sed 's/2,6,31/2.6.31/' >sar-comma
tap_is "$(query '[metric("pswpout/s").inputs[0].values[]]' sar-comma)" "[0,0,0,28.68,3.76,0.53]" "sar with a decimal comma"
compare "$D/sar3.txt" "$D/sar3.txt"
tap_grep_none 'not significant|better|worse' "$OUT" "intervals of one run are no sample"

# --- vmstat: the first row is since boot -------------------------------------------------------------
cat >vmstat <<-END
	procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
	 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
	 1  0  10000 579148   1200 931321   77   88    10    20  100  200  5  1 93  1  0
	 2  1  12000 571148   1200 931321    8  512   108   720  150  320  9  3 85  3  0
	 3  1  14000 560148   1200 931321   16  504   116   704  160  340 10  4 82  4  0
END
tap_is "$(query '[metric("si").inputs[0].values, metric("so").inputs[0].mean]' vmstat)" "[[8,16],508]" "vmstat: intervals"
compare vmstat
tap_grep 'the first row \(line 3\) is the average since boot and left out' "$OUT" "vmstat: and it is said"
sed '4s/ 0$//' vmstat >vmstat-bad
compare vmstat-bad vmstat
tap_is "$STATUS" 3 "vmstat: a row of another width"
tap_grep 'vmstat-bad: line 4: vmstat table, 17 columns expected, 16 found' "$ERR" "is told as such"

# --- cgroups ----------------------------------------------------------------------------------------
printf 'anon 4096\nfile 8192\nkernel_stack 16\npswpin 5\npswpout 7\n' >stat1
printf 'anon 8192\nfile 8192\nkernel_stack 16\npswpin 9\npswpout 7\n' >stat2
tap_is "$(query '[metric("anon").unit, metric("anon").changes[1].difference, metric("pswpin").changes[1].difference]' stat1 stat2)" \
	'["B",4096,4]' "memory.stat: sizes and counters"
printf 'some avg10=1.50 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=10\n' >psi1
sed 's/=1000/=5001000/; s/1.50/2.25/' psi1 >psi2
tap_is "$(query '[metric("some/avg10").changes[1].difference, metric("some/total").changes[1].per_second]' --interval 10 psi1 psi2)" \
	"[0.75,500000]" "memory.pressure: shares in points, the total as a rate"

# --- meminfo ----------------------------------------------------------------------------------------
printf 'MemTotal: 1000 kB\nMemFree: 500 kB\nSwapFree: 300 kB\n' >mem1
sed 's/500/400/' mem1 >mem2
tap_is "$(query '[metric("MemFree").changes[1].difference, metric("MemFree").unit]' mem1 mem2)" '[-100,"kB"]' "/proc/meminfo"

# --- a foreign line ends nothing, and is named -----------------------------------------------------
sed '2i and this is what it says now:' mem1 >mem3
tap_is "$(query '.inputs[1].left_out | [.lines, .first_line, .first]' mem1 mem3)" '[1,2,"and this is what it says now:"]' \
	"lines that are no data are counted and named"
tap_end
