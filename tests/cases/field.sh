#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Output of other tools as people paste it (tests/data/field): the numbers that are in it, and the answers that people
# worked out of it by hand. Right values are of the posts themselves, or calculated beside the test.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 138
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

head -n 1 "$D/swaps1" >swaps-none
tap_is "$(query '[metric("/dev/vda5/Used").inputs[] | .mean?], .inputs[1].notes' "$D/swaps1" swaps-none | tr '\n' ' ')" \
	'[657100,null] ["no swap device is on"] ' "/proc/swaps after a swapoff of all: nothing is 0 that is not there"

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
	"lines that are not data are counted and named"
# --- C04: rounds, bash's time and counters ------------------------------------------------------------
compare "$D/five-rounds-without.txt" "$D/five-rounds-with.txt"
tap_is "$STATUS" 0 "C04: titles of rounds end nothing"
F=("$D/five-rounds-without.txt" "$D/five-rounds-with.txt")
tap_is "$(query '[metric("real"), metric("sys")] | map(.inputs[].n, (.inputs[].mean * 100 | round), ((.changes[1] | .vs_base, .test.t) * 100 | round), (.changes[1].test.df * 10 | round))' "${F[@]}")" \
	"[5,5,47926,46245,-351,178,72,5,5,256209,216496,-1550,1008,56]" "C04: means, changes, t and df"
tap_is "$(query 'change("16kB-swpin")' "${F[@]}")" "4.74" "C04: 16kB-swpin"
tap_grep '^five-rounds-with.txt: 5 lines begin another run$' "$OUT" "C04: and the rounds are counted"

# --- C06: mmtests ------------------------------------------------------------------------------------
K=$D/mmtests-kvmstart.txt
compare "$K"
tap_is "$STATUS $(wc -l <"$ERR")" "0 0" "C06: kvmstart is read, without a warning"
tap_is "$(query '[.inputs[].name]' "$K")" '["5.2.0-vanilla","5.3.0-vanilla","5.4.0-rc6-vanilla","5.4.0-rc6-thptweak-v1r1"]' \
	"C06: two title lines are one name"
tap_is "$(query '[.metrics[].name]' "$K")" '["Amean 5","Amean 14","Amean 23","Amean 32","Amean 41","Amean 50"]' "C06: a row a size"
# 77.44 / 51.44 and 125.59 / 81.85
tap_is "$(query '[metric("Amean 41"), metric("Amean 50")] | map((.changes[3].vs_base * 100 | round), .better, (.inputs | map(.marked_significant)))' "$K")" \
	'[5054,"lower",[false,true,false,true],5344,"lower",[false,false,false,true]]' "C06: changes, direction and marks"
tap_is "$(query '[metric("Ops Swap Ins"), metric("Ops Swap Outs")] | map(.changes[3].vs_base * 100 | round)' "$D/mmtests-ops.txt")" \
	"[2217,2593]" "C06: operations"
tap_is "$(query 'metric("Ops Kswapd efficiency %") | [.unit, (.changes[3].difference * 100 | round)]' "$D/mmtests-ops.txt")" \
	'["%",-4899]' "C06: efficiency in points"
tap_is "$(query 'metric("Ops NUMA hint local faults %").unit' "$D/mmtests-ops.txt")" "null" "C06: a count called % is none"
tap_is "$(query '[.metrics[] | .name, .better]' "$D/hmean.txt")" '["Hmean 1","higher","Hmean 4","higher","Hmean 16","higher"]' \
	"C06: Hmean 16 is a metric, not sixteen"
tap_is "$(query '[.inputs[].name], [metric("Max fault-huge-3").inputs[].mean]' "$D/mmtests-thpscale.txt" | tr '\n' ' ')" \
	'["thp-base1","thp-base2","thp-lru1","thp-lru2"] [1229237,392796,508290,433992] ' "C06: thpscale"
sed '8s/51.44/5x.44/' "$K" >mm-bad
compare mm-bad
tap_is "$STATUS" 3 "C06: a garbled value is refused"
tap_grep 'mm-bad: line 8: mmtests table' "$ERR" "C06: in terms of the table"

{ cat "$D/hmean.txt" && printf '\nDuration User 10.0 11.0\n'; } >duration
tap_is "$(query '[metric("Duration User").inputs[].mean]' duration)" "[10,11]" "mmtests: durations have no changes"

# --- C07: thousands, empty cells, a title of two lines ------------------------------------------------
Z=$D/zswapin.txt
tap_is "$(query '[change("real_sec"), change("sys_sec"), change("zswpin"), change("zswpout"), change("pgmajfault")]' "$Z")" \
	"[12.7,15.54,101.59,19.03,-42.74]" "C07: the changes"
tap_is "$(query '[metric("ZSWPIN-16kB") | .inputs[0], .inputs[1].mean, .changes[1]], [.inputs[].name]' "$Z" | tr '\n' ' ')" \
	'[null,1496916,null] ["mm-unstable-10-16-2024","+ zswap large folios swapin series"] ' "C07: an empty cell is n/a, names go over two lines"
tap_is "$(query '[metric("64kB-mthp_swpout_fallback").inputs[].mean]' "$Z")" "[5470,0]" "C07: 5,470 in a file that tells its marks"
tap_is "$(query '[.inputs[].name][1], [metric("sys").inputs[].mean]' "$D/two-columns-name.txt" | tr '\n' ' ')" \
	'"mm-unstable + large folio zswapin series" [460.168,477.104,445.012] ' "C07: names with blanks"

# --- C15: the table of 2012 ------------------------------------------------------------------------------
# 43,014 / 25,989 = 1.655; 895,392 / 845,197 = 1.059
tap_is "$(query '[metric("SSD/Rand Anon"), metric("HDD/Rand Anon")] | map((.inputs[0].mean / .inputs[3].mean * 1000 | round), .inputs[0].n)' "$D/blind-both.txt")" \
	"[1655,1,1059,1]" "C15: two tables below each other"
compare "$D/blind-hdd.txt" "$D/blind-ssd.txt"
tap_grep '^Rand Anon/Vanilla +895,392 +43,014 ' "$OUT" "C15: two files of tables: a metric each cell"
tap_grep_none 'Welch|significant$|better|worse' "$OUT" "C15: and no verdict over kernels"

# --- rows or columns --------------------------------------------------------------------------------------
# (56.9 + 57.3) / 2 = 57.1, (50 + 50.4) / 2 = 50.2: -12.08 %
tap_is "$(query '[.inputs[].name, (.metrics[0] | .inputs[].n, (.changes[1].vs_base * 100 | round))]' "$D/two.txt")" \
	'["without","with",2,2,-1208]' "lists with names are inputs"
compare "$D/two.txt"
tap_grep 'rows are inputs, their values are runs \(no title line tells; --columns' "$OUT" "and it is said"
tap_is "$(query '[.metrics[] | .name, .inputs[0].mean]' --columns "$D/two.txt")" '["without",56.9,"with",50]' "--columns overrides"
printf 'real 1 2\nuser 3 4\n' >rows
tap_is "$(query '[.inputs[].name, .metrics[0].inputs[0].values]' --rows rows)" '["real","user",[1,2]]' "--rows too"
compare --rows --columns rows
tap_is "$STATUS" 2 "not both"
{ echo Before:; cat "$D/memtier8g-before.txt"; echo After:; cat "$D/memtier8g-after.txt"; } >both
tap_is "$(query '[.inputs[].name, .mthp[-1].inputs[].fallback]' both)" '["Before","After",8530,14441]' \
	"C09: Before: and After: in one paste"

# --- C16: xz and dd ---------------------------------------------------------------------------------------
R=("$D/rpi-swap.txt" "$D/rpi-zswap.txt")
tap_is "$(query '[change("real"), change("dd rate"), change("sys"), (metric("xz rate").inputs[0].mean)]' "${R[@]}")" \
	"[-16.63,20.37,123.44,47]" "C16: xz's progress ends nothing"

# --- LKP -------------------------------------------------------------------------------------------------
L=$D/lkp-hdd.txt
compare "$L"
tap_is "$STATUS $(wc -l <"$ERR")" "0 0" "LKP: declared changes follow, as far as their digits tell"
# 18001 / 26855, 75.02 - 68.63
tap_is "$(query '[metric("swapin.throughput") | (.changes[1].vs_base * 100 | round), .inputs[1].stated_spread_percent], [metric("mpstat.cpu.all.idle%") | .unit, (.changes[1].difference * 100 | round)]' "$L" | tr '\n' ' ')" \
	'[-3297,5] ["%",639] ' "LKP: change, deviation, points"
sed 's/^	//' >lkp3 <<-'END'
	commit1 commit2 commit3
	---------------- --------------------------- ---------------------------
	         %stddev     %change         %stddev     %change         %stddev
	             \          |                \          |                \
	     26855 ±2%      -33.0%      18001 ±  5%     +10.0%      29541        swapin.throughput
	  1.39e+09           +1.4%  1.409e+09           +7.2%   1.49e+09 ± 3%   proc-vmstat.pgfault
END
tap_is "$(query '[.inputs[].name, (metric("proc-vmstat.pgfault").inputs | map(.mean))[]], .warnings' lkp3 | tr '\n' ' ')" \
	'["commit1","commit2","commit3",1390000000,1409000000,1490000000] [] ' "LKP: three commits, powers of ten, deviations with and without a blank"
sed 's/+10.0%/+20.0%/' lkp3 >lkp-wrong
compare lkp-wrong
tap_grep 'lkp-wrong: line 5: swapin.throughput: declared \+20.0 %, but the numbers give \+10.00 %' "$ERR" "LKP: a wrong change is one"

cat >lkp-mail <<-'END'
	commit:
	  e027ec414f ("mm, swap: one")
	  7277433096 ("mm, swap: two")

	e027ec414fe8f540 7277433096f6ce4a84a1620529a
	---------------- ---------------------------
	       fail:runs  %reproduction    fail:runs
	           |             |             |
	           :6           17%           1:6     dmesg.WARNING
	         %stddev     %change         %stddev
	             \          |                \
	      0.00       +1.8e+103%       1.83 ± 20%  perf-stat.x
	     64.00 ±223%   +1140.1%     793.67 ± 70%  numa-meminfo.node0.Dirty
END
tap_is "$(query '[.metrics[] | .name, .inputs[].mean], .warnings' lkp-mail | tr '\n' ' ')" \
	'["perf-stat.x",0,1.83,"numa-meminfo.node0.Dirty",64,793.67] [] ' "LKP: a whole mail, with a table of failures"

# --- usemem, perf stat ------------------------------------------------------------------------------------
printf '4294967296 bytes / 8000000 usecs = 524288 KB/s\n4294967296 bytes / 16000000 usecs = 262144 KB/s\n' >usemem
tap_is "$(query '[metric("tasks"), metric("throughput of all tasks"), metric("longest task")] | map(.inputs[0].mean, .inputs[0].n)' usemem usemem)" \
	"[2,1,786432,1,16000000,1]" "usemem: tasks of one run are added up, they are no runs"
cat >perf <<-END
	 Performance counter stats for './a.out' (10 runs):

	          1,234.56 msec task-clock                #    0.998 CPUs utilized            ( +-  0.25% )
	            12,345      page-faults               #   10.000 K/sec                    ( +-  0.10% )
	   <not supported>      cycles

	            1.2371 +- 0.0041 seconds time elapsed  ( +-  0.33% )
END
tap_is "$(query '[metric("task-clock"), metric("page-faults"), metric("time elapsed")] | map(.inputs[0] | .mean, .stated_runs, .stated_spread_percent)' perf perf)" \
	"[1234.56,10,0.25,12345,10,0.1,1.2371,10,0.33]" "perf stat -r: means, runs, deviations"
compare perf perf
tap_grep_none 'no spread|not significant' "$OUT" "perf stat: means of runs are no runs"

# --- what --style writes is read back -----------------------------------------------------------------------
for style in mmtests lkp plain; do
	"$SWAPTRACE" compare --style $style "${F[@]}" 2>/dev/null >"style-$style"
done
# As the first run printed them: two decimals, five digits, three.
tap_is "$(query '[metric("Amean real"), metric("Amean sys"), metric("Max 16kB-swpin")] | map(.inputs[].mean)' style-mmtests)" \
	"$(query '[(metric("real"), metric("sys") | .inputs[].mean * 100 | round / 100), (metric("16kB-swpin").inputs[].max)]' "${F[@]}")" "mmtests"
tap_is "$(query '[.inputs[].name]' style-mmtests)" '["five-rounds-without.txt","five-rounds-with.txt"]' "mmtests: names"
tap_is "$(query '[metric("real"), metric("sys")] | map(.unit, .inputs[].mean)' style-lkp)" \
	"$(query '[metric("real"), metric("sys") | .unit, (.inputs[].mean * 100 | round / 100)]' "${F[@]}")" "lkp"
tap_is "$(query '[.inputs[].name]' style-lkp)" '["five-rounds-without.txt","five-rounds-with.txt"]' "lkp: names"
tap_is "$(query '[.metrics[] | select(.name | startswith("real") and endswith("/mean")) | .inputs[].mean]' style-plain)" \
	"$(query '[metric("real").inputs[].mean * 10000 | round / 10000]' "${F[@]}")" "plain"
printf 'metric A B C\nreal 10s 12s 14s\nsys 1 2 4\nrate 50%% 40%% 30%%\n' >three
"$SWAPTRACE" compare three >style-three
tap_is "$(query '[.inputs[].name, (.metrics[] | .name, .unit, .inputs[].mean)]' style-three)" \
	"$(query '[.inputs[].name, (.metrics[] | .name, .unit, .inputs[].mean)]' three)" "plain: three inputs with changes between them"

# --- C08: function_graph ------------------------------------------------------------------------------------
G=("$D/fg-before.txt" "$D/fg-after.txt")
tap_is "$(query '[metric("do_swap_page") | (.inputs[] | .n, .max, (.median * 100 | round)), (.changes[1].test.t * 100 | round)]' "${G[@]}")" \
	"[8,57377.796,64762,8,9870.146,535,95]" "C08: calls, longest, median, t"
tap_is "$(query '[metric("do_swap_page, sum").inputs[].mean, change("do_swap_page, sum"), metric("do_swap_page, calls over 1 ms").inputs[].mean]' "${G[@]}")" \
	"[64382.979,9907.146,-84.61,4,1]" "C08: sums, and calls over 1 ms"
printf ' 0)               |  swap_readpage() {\n 0)   1.500 us    |    blk_start_plug();\n 0) ! 120.250 us  |  }\n' >graph
tap_is "$(query '[metric("swap_readpage"), metric("blk_start_plug")] | map(.inputs[0].values[0])' graph)" "[120.25,1.5]" \
	"function_graph of ftrace itself: nested calls"
run "$SWAPTRACE" import "$D/fg-before.txt" -o graph.data
tap_is "$STATUS" 1 "C08: an import that yields no event is a finding"
tap_grep 'no event of it means anything here' "$ERR" "C08: and says so"
run "$SWAPTRACE" report graph.data
tap_grep 'no readahead events: import left out 8 events of other kinds \(funcgraph_entry\)' "$OUT" "C08: report names what was left out"
tap_grep_none 'VMA mode' "$OUT" "C08: and invents no reason"
run "$SWAPTRACE" import "$D/free1" -o free.data
tap_is "$STATUS" 3 "measurements are no trace"
tap_grep 'free1: free, .* swaptrace compare reads it' "$ERR" "but import knows who reads them"

# --- C14: a map that is printed and cleared each second: 9 + 3 and 2 ----------------------------------------
tap_is "$(query '[metric("systemd-logind"), metric("sshd")] | map(.inputs[0].sum)' "$D/swapinbt.txt")" "[12,2]" "C14: intervals are added up"
run "$SWAPTRACE" report --json "$D/swapinbt.txt"
tap_is "$(jq -c '.files[0].maps[0] | [.total, .printed, .shown, (.rows[] | .count, (.share_pct * 100 | round))]' "$OUT")" \
	'[14,2,"sum",12,8571,2,1429]' "C14: report too, and JSON says which was done"
printf '@a: 5\n\n@a: 9\n' >growing
tap_is "$(query '[metric("@a").inputs[0].sum]' growing)" "[9]" "a map that was not cleared: the last printing"
printf '@a[x]: 5\n@a[y]: 5\n\n@a[x]: 9\n' >vanishing
tap_is "$(query '[metric("x"), metric("y")] | map(.inputs[0].sum)' vanishing)" "[14,5]" "a key that is gone shows that it was cleared"

# --- C17: bcc ---------------------------------------------------------------------------------------------------
tap_is "$(query '.histograms[0] | [.samples, (.buckets[] | .count)]' "$D/argdistH.txt")" "[151414,1618,4960,41315,103521]" "C17: argdist -H"
compare "$D/argdistH.txt"
tap_is "$(awk '/[0-9] %$/ { print $(NF - 1) }' "$OUT" | tr '\n' ' ')" "1.07 3.28 27.29 68.37 " "C17: argdist -H: shares"
tap_is "$(query '.histograms[0] | [.samples, .p50.low, .p50.high, .p99.low, .p99.high]' "$D/funclat.txt")" "[8302,4,8,8,16]" "C17: funclatency"
tap_is "$(query '[.metrics[] | .name, .inputs[0].sum]' "$D/funccount.txt")" \
	'["swap_cluster_readahead",3021,"swap_vma_readahead",77012,"swapin_readahead",80033]' "C17: funccount"
tap_is "$(query '[.metrics[] | .name, .inputs[0].sum]' "$D/kstack.txt")" '["exit_mmap",72500,"swap_cluster_readahead",120000]' \
	"C17: kernel stacks, by who called"
printf '  lru_add_drain\n  exit_mmap\n  __mmput\n    72500\n\n  lru_add_drain\n  swap_cluster_readahead\n    120000\n' >stackcount
tap_is "$(query '[.metrics[] | .name, .inputs[0].sum]' stackcount)" '["exit_mmap",72500,"swap_cluster_readahead",120000]' "stackcount of bcc"
printf "  lru_add_drain\n  exit_mmap\n    b'cc1' [1234]\n    17\n\n" >stackcount-p
tap_is "$(query '[.metrics[] | .name, .inputs[0].sum]' stackcount-p)" '["exit_mmap",17]' "stackcount -P of bcc"
run "$SWAPTRACE" report "$D/funclat.txt"
tap_grep 'funclat.txt: histograms of bcc.*swaptrace compare reads it' "$ERR" "C17: report knows who reads it"
sed '/6    *|/d; s/7011/70x1/' "$D/funclat.txt" >hist-bad
compare hist-bad
tap_grep "hist-bad: line 6: histogram of bcc: 'LOW -> HIGH : COUNT" "$ERR" "a bucket that can't be read is named in its format"

# --- C10: vmlog: 40 + 2330 + 3920 and 40 + 233 + 392 ----------------------------------------------------------------
V=("$D/vmlog1.txt" "$D/vmlog2.txt")
tap_is "$(query '[metric("pswpin") | .kind, .inputs[].sum], [metric("cpufreq0").unit]' "${V[@]}" | tr '\n' ' ')" \
	'["counts",6290,665] ["kHz"] ' "C10: vmlog: counts of intervals are added up, frequencies are none"
compare "${V[@]}"
tap_grep_none '700,000.*1027|verdict' "$OUT" "C10: vmlog: time stamps are no metrics"

# --- Prometheus: 1,000 pages between two scrapes that are 100 s apart -----------------------------------------------------
printf '# TYPE node_vmstat_pswpin untyped\nnode_vmstat_pswpin 888\n# TYPE node_memory_SwapFree_bytes gauge\nnode_memory_SwapFree_bytes 5.4e+07\n# TYPE node_time_seconds gauge\nnode_time_seconds 1.7e+09\n' >prom1
sed 's/ 888/ 1888/; s/1.7e+09/1.7000001e+09/; s/5.4e+07/5.3e+07/' prom1 >prom2
tap_is "$(query '[metric("node_vmstat_pswpin") | .kind, .changes[1].difference, .changes[1].per_second, .changes[1].vs_base], [metric("node_memory_SwapFree_bytes").changes[1].difference]' prom1 prom2 | tr '\n' ' ')" \
	'["counter",1000,10,null] [-1000000] ' "Prometheus text: difference and rate by its own clock"

# --- thp_swap_allocator_test ------------------------------------------------------------------------------------------
printf 'Iteration 1: swpout inc: 219, swpout fallback inc: 125, Fallback percentage: 36.34%%\nIteration 2: swpout inc: 200, swpout fallback inc: 0, Fallback percentage: 0.00%%\n' >tsat
tap_is "$(query '[metric("swpout"), metric("fallback")] | map(.inputs[0].sum)' tsat tsat)" "[419,125]" "thp_swap_allocator_test"
# --- answers that people work out by hand ---------------------------------------------------------------------------------
# answers NAME FILES...: the derived answer of all inputs in hundredths, and its change
answers() {
	local name=$1
	shift
	"$SWAPTRACE" compare --json "$@" 2>/dev/null |
		jq -c --arg n "$name" '.derived.answers[] | select(.name == $n) | [(.inputs[], .changes[1]) | if . then . * 100 | round / 100 else . end]'
}
# 8530 of 138442 and 14441 of 137930 folios; 9,466,752 of 45,893,... kB: the case's own shares
M=("$D/memtier8g-before.txt" "$D/memtier8g-after.txt")
tap_is "$(answers "fallback, by folios" "${M[@]}") $(answers "fallback, by memory" "${M[@]}")" "[6.16,10.47,4.31] [20.63,13.44,-7.19]" \
	"C09: worse by folios, better by memory"
tap_is "$(query '[.mthp[] | select(.size_kb) | .inputs[0].fallback_percent | if . then . * 100 | round / 100 else . end]' "${M[@]}")" \
	"[1.25,0.78,0.19,1.63,94.89,100,null,100]" "C09: each size"
# 919094 / 933820, 1008935 / 1015820
tap_is "$(answers "readahead hit rate" "$L")" "[98.42,99.32,0.9]" "hit rate, its change in points"
tap_is "$(answers "readahead that was not used" "$L")" "[14726,6885,-53.25]" "readahead that was not used"
tap_is "$(answers "readahead hit rate" "$Z")" "[null,null,null]" "C07: hits without readahead: no rate"
tap_is "$(query '.derived.notes[0]' "$Z")" \
	'"mm-unstable-10-16-2024: 3,004 hits of 0 pages read ahead contradict each other: no hit rate"' "C07: and it is said"
# (1496916 * 4 + 1131176 * 8 + 1866884 * 16) / 54730678
tap_is "$(answers "pages from zswap that came in large folios" "$Z")" "[null,82.05,null]" "C07: share of large folios"
# 4 * 6861131.6 / 29978971.6 of the five rounds together
tap_is "$(answers "pages swapped in that came in large folios" "${F[@]}")" "[88.62,91.55,2.92]" "C04: share of large folios"
tap_is "$(answers "pages swapped in that came in large folios" --page-size 16384 "${F[@]}")" "[0,0,0]" "C04: 16 kB are no large folio of 16 KiB pages"
# 10 pages a second of 4096 bytes; differences of swap_ra 500, swap_ra_hit 300, pswpin 1000
tap_is "$(answers "written to swap, a second" --interval 300 "$D/vmstats.txt" "$D/vmstats2.txt")" "[null,40960,null]" "C17: 40 KiB/s at 4 KiB a page"
compare --interval 300 "$D/vmstats.txt" "$D/vmstats2.txt"
tap_grep '^written to swap, a second .* 40\.00 KiB/s ' "$OUT" "C17: also in text"
tap_grep 'at 4 KiB a page, which is assumed: --page-size tells' "$OUT" "C17: the page size is said"
tap_is "$(answers "readahead hit rate" vm1 vm2) $(answers "swap-ins that readahead brought" vm1 vm2)" "[60,60,0] [null,50,null]" \
	"of counters since boot it is what was counted in between; more read ahead than swapped in is no share"
printf 'pswpin: 900\npgmajfault: 300\n' >faults
tap_is "$(answers "pages swapped in per major fault" faults faults)" "[3,3,0]" "pages per major fault"
# --- C12, C13: doctor -------------------------------------------------------------------------------------------------------
doctor() {
	SWAPTRACE_ROOT=$D/$1 run "$SWAPTRACE" doctor "${@:2}"
}
doctor swapoff-enomem --swapoff-check
tap_is "$STATUS" 1 "C12: a certain no without MemAvailable"
# 620712 + 77108 + 6288 + 66488 + 20; 6238388 less that
tap_grep '770,616 kB can be had' "$OUT" "C12: the upper bound, without shmem"
tap_grep '^will not fit: .* shortfall at least 5,467,772 kB$' "$OUT" "C12: what misses at the least"
# The other two have 17,685 kB free each: 2079462 - 770616 - 35370
doctor swapoff-enomem --swapoff-check /dev/dm-2 --json
tap_is "$STATUS $(jq -c '[.device, .answer, .fits, .used_kb, .available_high_kb, .others_free_kb, .shortfall_kb]' "$OUT")" \
	'1 ["/dev/dm-2","does not fit",false,2079462,770616,35370,1273476]' "C12: one device"
doctor swapoff-enomem --swapoff-check dm-9
tap_is "$STATUS" 3 "C12: a device that is not on"
doctor swapoff-enomem
tap_grep '^readahead: cluster \(kernels before 4\.14 have no other\)' "$OUT" "C12: before 4.14 there is cluster readahead only"
tap_grep 'this kernel reads 2\^page-cluster pages each time' "$OUT" "C12: and before 3.14 windows are fixed"
doctor zswap --swapoff-check
tap_is "$STATUS" 0 "C13: what zswap gives back counts"
# 12288 - 2180 = 10108, 11000 - 10108
tap_grep '10,108 kB are needed' "$OUT" "C13: needed"
tap_grep '^will fit: 892 kB of available memory are left$' "$OUT" "C13: left"
doctor zswap
# 27150029 and 93811916 pages of 4 KiB
tap_grep 'through zswap since boot: 103\.57 GiB read, 357\.86 GiB written' "$OUT" "C13: traffic through zswap"
tap_grep '^zswap: enabled; pool 2,180 kB holds 10,808 kB' "$OUT" "C13: the pool"
tap_grep 'more hits than pages read ahead contradict each other' "$OUT" "C13: hits without readahead"
doctor zswap --json
tap_is "$(jq -c '.zswap | [.enabled, .pool_kb, .stored_kb, .zswpin, .zswpwb, .max_pool_percent]' "$OUT")" \
	'[true,2180,10808,27150029,64,null]' "C13: the same in JSON, with what is unknown"
mkdir new
cp -r "$D/zswap/." new
echo 6.19.3 >new/proc/sys/kernel/osrelease
printf 'Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 8388604 4096 -1\n/dev/nvme0n1p3 partition 8388604 8192 -1\n' >new/proc/swaps
mkdir -p new/sys/class/block/zram0
echo "4194304 1000000 1048576 0 2000000 7 0 3 0" >new/sys/class/block/zram0/mm_stat
echo "5 2 9" >new/sys/class/block/zram0/bd_stat
SWAPTRACE_ROOT=new run "$SWAPTRACE" doctor
tap_grep 'devices of equal priority take turns, a cluster at a time; from 6\.19 on' "$OUT" "6.19: equal default priorities take turns"
tap_grep 'zram0: 4,096 kB stored in 1,024 kB of memory \(4\.00 : 1\); 3 pages incompressible, 7 of one value; written back: 5 pages, 2 read again' "$OUT" \
	"zram: mm_stat and bd_stat"
# 12288 kB are 3,072 pages: 3/4 of 4,096, with 2,728 and 513 reads
tap_grep 'an estimate for the 12,288 kB in use, were they in order: 2,046 reads instead of 385' "$OUT" "6.18 to 7.3: what swapoff's lost accounting costs"
tap_grep 'swap_ra 1,368, swap_ra_hit 0, where 6\.17 has 3,583' "$OUT" "6.18 to 7.3: the counters that were measured"
echo 6.17.9 >new/proc/sys/kernel/osrelease
SWAPTRACE_ROOT=new run "$SWAPTRACE" doctor
tap_grep_none 'do not count its pages as readahead hits|from 6\.19 on' "$OUT" "6.17 does neither"
# --- the list of formats -----------------------------------------------------------------------------------------------------
"$SWAPTRACE" compare --formats >formats
sed '1,/^## The formats$/d' "$TOP/docs/formats.md" >page
tap_same page formats "docs/formats.md lists the formats of the table"
run "$SWAPTRACE" compare --help
missing=
for name in $(sed -n 's/^### //p' formats); do
	case $name in
	text | perf | trace-cmd | trace.dat) ;; # become traces
	*) grep -q "^  $name: " "$OUT" || missing+=" $name" ;;
	esac
done
tap_is "$missing" "" "compare --help lists them"
tap_grep '^    Swap: +6291444 ' "$OUT" "with an example each"
compare --format sar free1
tap_is "$STATUS" 3 "a file that is not of the format it is said to be"
compare --format nothing "$D/free1" "$D/free2"
tap_is "$STATUS" 2 "a format that there is not"
# Half of its lines are not of it: no format is sure, and the nearest is named.
printf 'Mem: 1 2 x3\nbut where is swap\nand so on\n' >unknown
compare unknown unknown
tap_is "$STATUS" 3 "unknown text is refused"
tap_grep 'compare --formats lists what is read|nearest to it' "$ERR" "and where the formats are listed is said"
tap_is "$(query '[change("pswpin")]' --format plain vm1 vm2)" "[112.61]" "--format plain: per cent after all" # 1888 / 888
tap_end
