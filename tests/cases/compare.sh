#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# compare: cases 1, 2, 4, 10, 12, 13, 14, 30, 34, 40, 41 and 68 of the list of real-world cases, the tables of mmtests,
# spellings of durations, what can not be read. Expected values are the cases' own unless a line says how they follow.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 128
cd "$WORK" || exit 1

compare() {
	run "$SWAPTRACE" compare "$@"
}

# query FILTER ARGS...: compact answer of jq to a comparison in JSON
query() {
	local filter=$1
	shift
	"$SWAPTRACE" compare --json "$@" 2>/dev/null | jq -c "$filter"
}


# --- case 4: is one percent real? -------------------------------------------------------------
echo 56.9 57.3 55.8 56.1 57.0 56.5 55.9 57.6 56.2 56.7 >without
printf '# with the patch\n%s\n' "56.0 56.3 55.9 56.2 56.1" "55.8, 56.4, 56.0, 56.2, 56.1" >with
compare without with
tap_is "$STATUS" 0 "case 4: exit status"
tap_grep '^mean +56\.60 +56\.10$' "$OUT" "case 4: means"
tap_grep '^stddev +0\.606 +0\.183$' "$OUT" "case 4: deviations"
tap_grep '^min +55\.80 +55\.80$' "$OUT" "case 4: minima"
tap_grep '^max +57\.60 +56\.40$' "$OUT" "case 4: maxima"
tap_grep '^n +10 +10$' "$OUT" "case 4: n"
tap_grep '^vs base +-0\.88 %$' "$OUT" "case 4: difference"
tap_grep '^Welch t +2\.50$' "$OUT" "case 4: t"
tap_grep '^df +10\.6$' "$OUT" "case 4: degrees of freedom"
tap_grep '^verdict +better$' "$OUT" "case 4: significant at 5 % (p = 0.030)"
compare --higher-is-better without with
tap_grep '^verdict +worse$' "$OUT" "case 4: the direction can be turned"
# p, interval: mpmath with 40 digits, see tests/unit/test_statistics.c
tap_is "$(query '.metrics[0].changes[1].test | [(.p * 1e6 | round), (.ci95[] * 1e6 | round)]' without with)" \
	"[30191,-942111,-57889]" "case 4: p and confidence interval"
echo "150MB 154MB" >pair
compare pair
tap_is "$STATUS" 0 "case 4: a pair is compared"
tap_grep '\+2\.67 %$' "$OUT" "case 4: +2.67 %"
tap_grep '^n=1, no significance test$' "$OUT" "case 4: and nothing more is claimed"
tap_grep_none 'Welch' "$OUT" "case 4: no test of a pair"
compare 150MB 154MB
tap_grep '\+2\.67 %$' "$OUT" "case 4: values on the command line"
echo 57 >one
compare one with
tap_grep '^verdict +n=1, no significance test$' "$OUT" "one value against ten is no test"
tap_is "$(query '.metrics[0].changes[1].test | [.refused, .p]' one with)" '["n=1",null]' "nor in JSON"
printf '5\n5\n5\n' >flat
compare flat flat
tap_grep '^verdict +no spread, no significance test$' "$OUT" "nor are equal values"

# --- case 10: gain of each step ------------------------------------------------------------
for v in 1400000 1450000 2010000 4090000; do echo "vmstat.swap.so: $v" >"step-$v"; done
compare step-1400000 step-1450000 step-2010000 step-4090000
tap_grep '\+3\.57 %.*\+43\.57 % +\+38\.62 %.*\+192\.14 % +\+103\.48 %$' "$OUT" "case 10: cumulative and incremental"
echo "vmstat.swap.so 1,400,000 1,450,000 2,010,000 4,090,000" >steps
compare steps
tap_grep '\+3\.57 %.*\+43\.57 % +\+38\.62 %.*\+192\.14 % +\+103\.48 %$' "$OUT" "case 10: the same from one row"

for v in 10 20 50; do printf '%s %s\n' $((v - 1)) $((v + 1)) >"runs-$v"; done
compare runs-10 runs-20 runs-50
tap_grep '^vs base +\+100\.00 % +\+400\.00 %$' "$OUT" "case 10: several runs a step, cumulative"
tap_grep '^vs previous +\+150\.00 %$' "$OUT" "case 10: several runs a step, incremental"

# --- case 13: tables with wrong arithmetic ------------------------------------------------------
cat >table <<-END
	limit before after change
	memcg=1G 5104 4641 -18.7%
	memcg=2G 8693 4662 -18.7%
END
compare table
tap_is "$STATUS" 0 "case 13: warnings are not fatal"
tap_grep '^memcg=1G .* -9\.07 %$' "$OUT" "case 13: first change recomputed"
tap_grep '^memcg=2G .* -46\.37 %$' "$OUT" "case 13: second change recomputed"
tap_is "$(grep -c 'declared -18\.7 %' "$ERR")" 2 "case 13: two warnings about declared changes"
tap_grep 'table: line 2: memcg=1G' "$ERR" "case 13: with file and line"
tap_grep '^metric +before +after +change$' "$OUT" "case 13: columns have the names of the title"
compare --strict table
tap_is "$STATUS" 1 "case 13: --strict makes them a finding"
printf 'a 200 150 -25%%\nb 3 4 33.3%%\nc 146.00 (   0.00%%) 145.00 (   0.68%%)\nd 22.09 12.19 -44.8%%\n' >right
compare --strict right
tap_is "$STATUS $(wc -l <"$ERR")" "0 0" "declared changes that do follow, mmtests' sign included, are no warning"
printf 'a 200 150 +25%%\n' >sign
compare sign
tap_grep 'declared \+25 %, but the numbers give -25\.00 %' "$ERR" "a wrong sign is one"
seq 9 >nine
sed '1i # n=10 memcg=1G' nine >before.txt
sed '1i # memcg=768M' nine >after.txt
compare --strict before.txt after.txt
tap_is "$STATUS" 1 "case 13: unequal and short lists are findings under --strict"
tap_grep 'before\.txt: declared n=10, but it holds 9 values' "$ERR" "case 13: n"
# 2^30 and 3 * 2^28
tap_grep 'memory_limit is 1073741824 in before\.txt, 805306368 in after\.txt' "$ERR" "case 13: condition"
tap_is "$(wc -l <"$ERR")" 2 "case 13: one warning each"
compare --declared-n 9 nine with
tap_grep 'with: declared n=9, but it holds 10 values' "$ERR" "--declared-n"
echo '114.44user 29.11system 39:42.90elapsed 6%CPU (0avgtext+0avgdata 3016maxresident)k' >gnu-time
echo '0inputs+8outputs (0major+72minor)pagefaults 0swaps' >>gnu-time
tap_is "$(query '[.metrics[] | [.name, .unit, .inputs[0].mean]]' gnu-time gnu-time)" \
	'[["user","s",114.44],["system","s",29.11],["elapsed","s",2382.9]]' "case 13: a line of GNU time"

# --- spellings of durations --------------------------------------------------------------------
# spelling TEXT NAME SECONDS
spelling() {
	printf '%b\n' "$1" >spelling
	tap_is "$(query "[.metrics[] | [.name, .inputs[0].mean, .unit]][0]" spelling spelling)" "$2" "spelling: $1"
}
spelling '\nreal\t1m2.5s\nuser\t0m1.0s\nsys\t0m0.5s' '["real",62.5,"s"]'
spelling '1:02.50elapsed' '["elapsed",62.5,"s"]'
spelling '\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02.50' '["elapsed",62.5,"s"]'
spelling 'swapoff: 14.2 seconds' '["swapoff",14.2,"s"]'
spelling '       0.500861 seconds time elapsed' '["time elapsed",0.500861,"s"]'
spelling '104857600 bytes (105 MB, 100 MiB) copied, 0.5 s, 210 MB/s' '["dd time",0.5,"s"]'
spelling '850ms\n0.85s' '["",0.85,"s"]'
spelling 'time=1h2m3s' '["time",3723,"s"]'
spelling 'sys 3,08' '["sys",3.08,null]'
spelling 'x 1.234,5' '["x",1234.5,null]'
echo "real 0m11.84s" >zram-before
echo "real 0m9.11s" >zram-after
compare zram-before zram-after
tap_grep '-23\.06 %$' "$OUT" "bash's time: -23.06 % (case 11)"
printf '56.9\n12,345\n' >comma
compare comma with
tap_is "$STATUS" 3 "case 68: a comma that may be two things is refused"
tap_grep "comma: line 2: '12,345'" "$ERR" "case 68: with file and line"
compare without with
cp "$OUT" plain
run env LC_ALL=de_DE.UTF-8 "$SWAPTRACE" compare without with
tap_same "$OUT" plain "case 68: the locale changes nothing"
run env LC_ALL=xx_XX "$SWAPTRACE" compare without with
tap_same "$OUT" plain "case 68: nor does one that is not there"

# --- case 14: suffixes and 64 bits ------------------------------------------------------------
echo "1200M 9.0K" >suffixes
compare suffixes
tap_grep '133,333 : 1 \(from rounded values\)$' "$OUT" "case 14: ratio, marked as from rounded values"
printf '5012345678 $retval = 1\n4294967296 $retval = 8\n' >argdist
tap_is "$(query '[.metrics[] | select(.name == "calls" or .name == "mean window") | .inputs[0].values[0]] | [.[0], (.[1] * 1000 | round)]' \
	argdist argdist)" "[9307312974,4230]" "case 14: counts beyond 32 bits"
echo "calls: 9007199254740993" >exact
compare --json exact exact
tap_grep '^ *9007199254740993$' "$OUT" "counts beyond 53 bits are exact"
compare exact exact
tap_grep '9,007,199,254,740,993' "$OUT" "also in text"

# --- case 1: argdist tables ---------------------------------------------------------------------
printf '[10:02:11]\nr::swapin_nr_pages(unsigned long offset):unsigned long:$retval\n' >a.argdist
printf '\tCOUNT      EVENT\n\t21044      $retval = 8\n\t25310      $retval = 4\n' >>a.argdist
printf '\t31877      $retval = 1\n\t301769     $retval = 2\n' >>a.argdist
printf '905 $retval = 1\n3118 $retval = 2\n24402 $retval = 4\n61575 $retval = 8\n' >b.argdist
compare a.argdist b.argdist
tap_grep '^calls +380,000 +90,000 +-76\.32 %$' "$OUT" "case 1: calls"
tap_grep '^drains +348,123 +89,095 +-74\.41 %$' "$OUT" "case 1: drains"
tap_grep '^mean window \(pages\) +2\.382 +6\.637 ' "$OUT" "case 1: mean windows"

# --- case 2: mTHP counters of both generations ----------------------------------------------
# counters FOLDER PREFIX SIZE:SWPOUT:FALLBACK...
counters() {
	local folder=$1 prefix=$2 entry size ok bad
	shift 2
	for entry; do
		IFS=: read -r size ok bad <<<"$entry"
		mkdir -p "$folder/hugepages-${size}kB/stats"
		echo "$ok" >"$folder/hugepages-${size}kB/stats/${prefix}swpout"
		echo "$bad" >"$folder/hugepages-${size}kB/stats/${prefix}swpout_fallback"
	done
}
counters before anon_ 1024:0:0 128:3798:10748 16:9120:6850 2048:0:1 256:46:4321 32:9355:7998 512:0:96 64:8822:9123
counters after "" 1024:3:0 128:14568:26 16:16220:0 2048:1:1 256:1111:3139 32:17222:0 512:1:67 64:17747:0
compare before after
tap_is "$(awk '/ kB|total/ { print $1 }' "$OUT" | tr '\n' ' ')" "16 32 64 128 256 512 1024 2048 total " \
	"case 2: sizes in numerical order"
tap_is "$(query '[.mthp[].inputs[0].fallback_percent | if . then (. * 100 | round) / 100 else . end]' before after)" \
	"[42.89,46.09,50.84,73.89,98.95,100,null,100,55.69]" "case 2: before; 0/0 is unknown"
tap_is "$(query '[.mthp[].inputs[1].fallback_percent | (. * 100 | round) / 100]' before after)" \
	"[0,0,0,0.18,73.86,98.53,0,50,4.61]" "case 2: after"
tap_is "$(query '[.mthp[] | select(.inputs[1].few) | .size_kb]' before after)" "[1024,2048]" "case 2: few samples"
tap_grep '^1024 kB +0 +0 +n/a +3 +0 +0\.00 % \(n=3\) +n/a$' "$OUT" "case 2: n/a, and n where it is small"
tap_grep '^2048 kB +0 +1 +100\.00 % \(n=1\) +1 +1 +50\.00 % \(n=2\)' "$OUT" "case 2: the last size"
(cd before && grep -r . .) >grepped
tap_is "$(query '[.mthp[].inputs[0].fallback]' grepped after)" "$(query '[.mthp[].inputs[0].fallback]' before after)" \
	"case 2: output of grep is as good as the folder"
echo "Totals 41220.10 0.00 0.00 5.2 1.1 38.9 59.6 42000.00" >memtier-a
echo "Totals 60880.77 0.00 0.00 3.6 0.7 26.3 39.1 62000.00" >memtier-b
compare memtier-a memtier-b
tap_grep '^Totals \(ops/s\) +41,220\.10 +60,880\.77 +\+47\.70 %$' "$OUT" "case 2: throughput"
mkdir empty-folder
compare empty-folder after
tap_is "$STATUS" 3 "a folder without counters"
echo many >before/hugepages-64kB/stats/anon_swpout
compare before after
tap_grep 'hugepages-64kB/stats/anon_swpout: line 1' "$ERR" "a counter that is none is named"

# --- case 12: values on the line behind their names ------------------------------------------
printf '64kB/swpout:\n1690000\n64kB/swpout_fallback:\n228000\n' >wrapped-a
printf '64kB/swpout:\n1770500\n64kB/swpout_fallback:\n149900\n' >wrapped-b
compare wrapped-a wrapped-b
tap_grep '11\.89 %.* 7\.81 % +-4\.08 points$' "$OUT" "case 12: shares and points"
# Two runs each: 10 % and 30 % of 100 before.
printf '64kB/swpout: 90\n64kB/swpout_fallback: 10\n64kB/swpout: 70\n64kB/swpout_fallback: 30\n' >runs-a
tap_is "$(query '[.metrics[] | select(.name == "64kB fallback") | .inputs[0].values] + [.mthp[0].inputs[0].fallback]' \
	runs-a runs-a)" "[[10,30],40]" "case 12: runs are kept apart"
printf 'alpha:\nbeta: 3\n' >unfinished
compare unfinished with
tap_is "$STATUS" 0 "a title line before the first row is no value"
printf 'beta: 3\nalpha:\n' >unfinished
compare unfinished with
tap_grep "unfinished: line 2: 'alpha:' has no value" "$ERR" "a key without a value is an error"

# --- case 30: histograms of bpftrace -------------------------------------------------------------
cat >hist <<-END
	Attaching 1 probe...

	@usecs[get_swap_pages]:
	[8, 16)             1204 |@@@@@@                                              |
	[16, 32)            9310 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
	[32, 64)            2207 |@@@@@@@@@@@@                                        |
	[64, 128)            310 |@                                                   |
	[128, 256)            41 |                                                    |
	[1K, 2K)               3 |                                                    |
END
tap_is "$(query '.histograms[0] | [.samples, .p50.low, .p50.high, .p99.low, .["p99.9"].low, .max.high]' hist hist)" \
	"[13075,16,32,64,128,2048]" "case 30: samples, quantiles as buckets, largest"
compare hist hist
tap_grep '^ *\[256, 512\) +0 +0\.00 % +0 +0\.00 %$' "$OUT" "case 30: an empty bucket is zero"
tap_grep '^ *\[512, 1K\) +0 ' "$OUT" "case 30: and so is the next one"
tap_grep '@usecs\[get_swap_pages\]' "$OUT" "case 30: under its name"
compare --style lkp without with
tap_grep '^ +56\.60 .{1,2}  1% +-0\.9% +56\.10 .{1,2}  0%  value$' "$OUT" "case 30: LKP style"
# 90, 100, 110: the deviation is 10, of which a tenth of 100
printf '90 100 110\n' >spread
compare --style lkp spread spread
tap_grep '^ +100 .{1,2} 10% +\+0\.0% +100 .{1,2} 10%  value$' "$OUT" "LKP style: deviation in percent of the mean"
sed 's/9310/lots/' hist >hist-bad
compare hist-bad hist
tap_is "$STATUS" 3 "a bucket that can't be read"
tap_grep 'hist-bad: line 5: ' "$ERR" "is named by its line"

# --- case 34: another config; conditions of traces ----------------------------------------------
# trace FACTS: a text of the event lines on standard input, one microsecond apart
trace() {
	printf '# swaptrace text 1\n# %s\n' "$1"
	awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
}
for i in $(seq 100); do
	echo "ALLOCFAIL order=4 folio=$i reason=config"
	seq 0 15 | sed "s/.*/ALLOC order=0 type=0 n=1 folio=$i/"
done | trace "release=6.12.0 page_size=4096 thp_swap=0 cluster_slots=256" >A
{
	seq 97 | sed 's/.*/ALLOC order=4 type=0 off=&/'
	seq 3 | sed 's/.*/ALLOCFAIL order=4 reason=space/'
} | trace "release=6.12.0 page_size=4096 thp_swap=1 cluster_slots=512" >B
compare --strict A B
tap_is "$STATUS" 1 "case 34: unequal conditions are a finding under --strict"
tap_grep 'thp_swap is 0 in A, 1 in B' "$ERR" "case 34: thp_swap"
tap_grep 'cluster_slots is 256 in A, 512 in B' "$ERR" "case 34: cluster size"
tap_grep '^A: large swap-out not possible in this config' "$OUT" "case 34: fallback goes to the config"
tap_grep '^64 kB +0 +100 +100\.00 % +97 +3 +3\.00 % ' "$OUT" "case 34: 100 % and 3 %"

echo "ALLOCFAIL order=4 reason=config" | trace release=6.12.0 >config
compare config B
tap_grep '^config: large swap-out not possible in this config' "$OUT" "case 34: the reason alone is enough"
echo "ALLOCFAIL order=4 reason=space" | trace release=6.12.0 >space
compare space B
tap_grep_none 'not possible in this config' "$OUT" "case 34: want of space is not the config"

# --- cases 40, 41: what a release changed --------------------------------------------------------
printf '# release=6.12.0\n64kB/swpout: 1000\n64kB/swpout_fallback: 40\n' >A
printf '# release=6.19.0\n64kB/swpout: 1000\n64kB/swpout_fallback: 95\n64kB/swpout_fallback_shmem: 55\n' >B
compare A B
tap_grep '^64 kB .* 3\.85 % .* 8\.68 % ' "$OUT" "case 41: shares"
tap_grep '^B also counts shmem' "$OUT" "case 41: footnote"
tap_grep '^B: 64kB fallback without shmem: 3\.85 %$' "$OUT" "case 41: without it"
compare B B
tap_grep_none 'also counts' "$OUT" "case 41: nor when both releases count alike"
compare A A
tap_grep_none 'shmem' "$OUT" "case 41: no footnote without a change of release"
for release in 6.6.0 6.19.0; do
	echo "LOOKUP type=0 off=1 cause=fault" | trace "release=$release
# device type=0 pages=1000 flags=sync_io name=/dev/zram0" >"zram-$release"
done
compare zram-6.6.0 zram-6.19.0
tap_grep '^zram-6\.19\.0 takes swap-ins from synchronous devices through the swap cache' "$OUT" "case 40: footnote"

# --- results of a replay -------------------------------------------------------------------------
seq 300 | sed 's/.*/LOOKUP type=0 off=& cause=fault/' | trace "release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0" >seq
"$SWAPTRACE" replay -q -o results.json --policy page-cluster=0 seq >"$OUT" 2>"$ERR"
compare results.json
# 300 consecutive slots one by one with page-cluster 0
tap_grep '^calls +[0-9]+ +300 ' "$OUT" "policies of one results file are compared"
tap_grep '^page-cluster=0 is a what-if' "$OUT" "and a what-if is called one"

"$SWAPTRACE" replay -q -o estimate.json --policy page-cluster=0 --device hdd seq >"$OUT" 2>"$ERR"
compare estimate.json
tap_grep '^replay time \(s\), estimated ' "$OUT" "a time of the cost model is called an estimate"
tap_grep 'replay time is an estimate: ' "$OUT" "with its assumptions"
seq 20 | sed 's/.*/SWAPOUT order=4 folio=&/' | trace "release=6.12.0 page_size=4096 thp_swap=1 cluster_slots=512
# device type=0 pages=1025 prio=0 flags=ssd" >churn
"$SWAPTRACE" replay -q -o alloc.json --policy allocator=mthp-empty-only churn >"$OUT" 2>"$ERR"
tap_is "$(query '.mthp[-1].inputs | map(.swpout + .fallback)' alloc.json)" \
	"$(jq -c '[.results[].alloc.orders["4"] | .swpout + .fallback]' alloc.json)" "allocators of one results file, every request"

# Group ra of the recorder shows slots that were given and not those that were refused.
for groups in ra ra,alloc; do
	echo "ALLOC order=0 type=0 off=5 n=1" | trace "release=6.12.0 events=$groups" >"given-$groups"
done
compare given-ra given-ra
tap_grep '^single slots allocated +1 +1 ' "$OUT" "slots that were given are counted"
tap_grep_none 'refused' "$OUT" "refusals that nobody looked for are not"
{ cat given-ra; echo "9 0 1 c ALLOCFAIL order=0 reason=space"; } >refused-ra
compare refused-ra refused-ra
tap_grep '^single slots refused +1 +1 ' "$OUT" "but those that are there are"
compare given-ra,alloc given-ra,alloc
tap_grep '^single slots refused +0 +0 ' "$OUT" "those that somebody looked for are"

# --- mmtests tables: tests/data/mmtests/README.md says how the expected ones were made --------
data=$TOP/tests/data/mmtests
# mmtests EXPECTED NAMES LIST...
mmtests() {
	local expected=$1 names=$2 list files=()
	shift 2
	for list; do
		case $list in
		--*) files+=("$list") ;;
		*) files+=("$data/$list") ;;
		esac
	done
	compare --style mmtests --names "$names" "${files[@]}"
	tap_same "$OUT" "$data/$expected" "mmtests: $expected"
}
mmtests columns-1.txt 4.14.0-rc4-vanilla vanilla
mmtests columns-2.txt 4.14.0-rc4-vanilla,4.14.0-rc4-pcp-v1 vanilla pcp-v1
mmtests columns-3.txt vanilla,pcp-v1,decimals vanilla pcp-v1 decimals
mmtests columns-4.txt vanilla,one,zeros,pcp-v1 vanilla one zeros pcp-v1
mmtests base-zero.txt zeros,one,vanilla zeros one vanilla
mmtests base-one.txt one,vanilla one vanilla
mmtests higher.txt rates,rates-new,zeros --higher-is-better rates rates-new zeros

# --- what can not be read -------------------------------------------------------------------------
compare no-such-file with
tap_is "$STATUS" 3 "a missing file"
tap_grep "cannot open 'no-such-file'" "$ERR" "is named"
: >nothing
compare nothing with
tap_grep 'nothing: is empty' "$ERR" "an empty one too"
printf '\177ELF\0\0' >binary
compare binary with
tap_grep 'binary: line 1: binary data' "$ERR" "binary data"
echo '{"x": 1}' >foreign.json
compare foreign.json with
tap_is "$STATUS" 3 "JSON of somebody else"
compare with
tap_is "$STATUS" 2 "a list alone has nothing to be compared with"
echo "12s" >seconds
compare seconds with
tap_grep "in 's'.* in ''" "$ERR" "seconds and plain numbers do not mix"
echo 850ms >ms
echo 0.425s >s
compare ms s
tap_grep '^time \(s\) +0\.8500 +0\.4250 +-50\.00 %$' "$OUT" "milliseconds and seconds do"
echo 300ms >ms2
compare ms ms2
tap_grep '^time \(ms\) +850\.00 +300\.00 +-64\.71 %$' "$OUT" "one unit in all inputs stays what it is"
compare --style fancy with with
tap_is "$STATUS" 2 "an unknown style"
compare --names a with without
tap_is "$STATUS" 2 "too few names"
compare seq
tap_is "$STATUS" 2 "so has a trace"
printf '12.19s\n12.5\n' >mixed
compare without mixed
tap_is "$STATUS" 3 "a value without unit among others"
tap_grep 'mixed: line 2: a value without unit among others in s; use one unit' "$ERR" "and which it is"
compare - with <without
tap_grep '^mean +56\.60 +56\.10$' "$OUT" "standard input, redirected"
run "$SWAPTRACE" compare - with < <(cat without)
tap_grep '^mean +56\.60 +56\.10$' "$OUT" "standard input, a pipe"
tap_end
