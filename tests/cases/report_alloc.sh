#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reports of the slot allocator and of drains: cases 2, 3, 5, 28 and 42 of the list of real-world cases, the shipped
# captures, pictures. Expected values are the cases' own, counters of the recorded kernel, or follow from the
# calculation beside them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

tap_plan 65
cd "$WORK" || exit 1

SSD='flags=ssd,blkdev'
GP=$(command -v gnuplot)

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
	} >"$1"
}

report() {
	run "$SWAPTRACE" report "$@"
}

# results NAME POLICY:COUNTS...: a results document with what-ifs, COUNTS being swpout/fallback of orders 2, 3, ...
results() {
	local name=$1 comma='' order policy pair
	shift
	{
		printf '{"swaptrace":{"schema":1,"version":"0.1","kind":"results"},"trace":{"page_size":4096},"results":['
		for policy in "$@"; do
			printf '%s{"policy":"%s","what_if":true,"alloc":{"allocator":"a","norders":10,"orders":{' "$comma" \
				"${policy%%:*}"
			order=2
			for pair in ${policy#*:}; do
				[ $order -eq 2 ] || printf ,
				printf '"%d":{"swpout":%d,"fallback":%d,"reasons":{"hole-not-found":%d}}' $order \
					"${pair%/*}" "${pair#*/}" "${pair#*/}"
				order=$((order + 1))
			done
			printf '}}}'
			comma=,
		done
		printf ']}\n'
	} >"$name"
}

# --- case 2: before and after ----------------------------------------------------------------------
results case2 "before:9120/6850 9355/7998 8822/9123 3798/10748 46/4321 0/96 0/0 0/1" \
	"after:16220/0 17222/0 17747/0 14568/26 1111/3139 1/67 3/0 1/1"
report -o case2.d case2
tap_is "$STATUS" 0 "case 2: two results side by side"
cp case2.d/report.txt "$OUT"
while read -r size before after; do
	tap_grep "\\($size\\) +A before \\(what-if\\) .* $before\$" "$OUT" "case 2: $size before"
	tap_grep "\\($size\\) +B after \\(what-if\\) .* $after\$" "$OUT" "case 2: $size after"
done <<'EOF2'
16.kB 42\.89.%.* 0.00.%.*
32.kB 46\.09.%.* 0.00.%.*
64.kB 50\.84.%.* 0.00.%.*
128.kB 73\.89.%.* 0\.18.%.*
256.kB 98\.95.%.* 73\.86.%.*
512.kB 100\.00.%.* 98\.53.%.*
1.MB n/a.* 0\.00.%.*few.samples.\(n=3\)
2.MB 100\.00.%.*few.samples.\(n=1\) 50\.00.%.*few.samples.\(n=2\)
EOF2
tap_grep '^total above 0 +A before .* 55\.69 % ' "$OUT" "case 2: total before"
tap_grep '^total above 0 +B after .* 4\.61 % ' "$OUT" "case 2: total after"
tap_is "$(grep -oE '^[0-9]+ \([0-9]+ [kM]B\) +A' "$OUT" | grep -oE '\([^)]*' | tr -d '(\n')" \
	"16 kB32 kB64 kB128 kB256 kB512 kB1 MB2 MB" "case 2: in the order of their sizes"
tap_grep '^before: what-if:' "$OUT" "what-ifs are labelled"
tap_grep '^A before \(what-if\) +n/a  n/a ' "$OUT" "a first fallback that the result does not tell is not called none"
# Upper ends of the stacked bars: 46 of 4,367 requests are 1.053 %, the rest fell back.
tap_grep '^"6 \(256 kB\) A" 3\.8 1\.053354706 100$' case2.d/alloc-orders.dat "stacked bars add up to all requests"
tap_grep '^"8 \(1 MB\) A" 5\.8 NaN NaN$' case2.d/alloc-orders.dat "no request is no bar, and not one of 0 %"

# --- case 5: fallback over time, from recorded events alone ----------------------------------------------
# Five rounds, 10 ms apart; a slice of the time line is a millisecond, its share stands at its middle.
i=0
for round in 960/0 958/2 611/349 102/858 0/960; do
	yes "ALLOC order=4" | head -n "${round%/*}"
	yes "ALLOCFAIL order=4 reason=space" | head -n "${round#*/}"
done | awk '{ printf "%d 0 100 task %s\n", 10000000 * (1 + int((NR - 1) / 960)) + NR, $0 }' |
	sed '1i # swaptrace text 1\n# release=6.12.0 page_size=4096' >case5
report -o case5.d case5
tap_is "$(awk '$2 != "NaN" && NF == 2 && !/#/ { printf "%s %.2f, ", $1, $2 }' case5.d/alloc-fallback.dat)" \
	"0.0005 0.00, 0.0105 0.21, 0.0205 36.35, 0.0305 89.38, 0.0405 100.00, " "case 5: share of each round"
cp case5.d/report.txt "$OUT"
# 960 + 958 + 611 + 102 = 2,631; 2 + 349 + 858 + 960 = 2,169, of 4,800.
tap_grep '^4 \(64 kB\) +case5 +2,631 +2,169 +45\.19 % +n/a +n/a +n/a +0 +0' "$OUT" \
	"case 5: without a model the reason is not known, and not 0"
tap_grep '^case5 +1,919 +4 \(64 kB\) +n/a +n/a ' "$OUT" "case 5: the first fallback is request 960 + 958 + 1"
tap_grep "^Recorded events alone tell neither the reason" "$OUT" "and the report says what would tell"
printf 'ALLOCFAIL order=4 reason=limit\nALLOCFAIL order=0 reason=space\nALLOCFAIL order=2 reason=config\n' |
	trace reasons '# release=6.12.0'
report reasons
tap_grep '^2 +reasons +0 +1 +100\.00 % +0 +0 +0 +1 +0 ' "$OUT" "recorded reasons: config"
tap_grep '^4 +reasons +0 +1 +100\.00 % +0 +0 +0 +0 +1 ' "$OUT" "recorded reasons: limit, which is no first fallback"
tap_grep '^reasons +3 +2 +n/a' "$OUT" "but the third request is"
printf 'SWAPOUT order=4\nSWAPOUT order=4\n' | trace unanswered '# release=6.12.0'
report unanswered
tap_grep_none '^Swap slots' "$OUT" "requests without any answer are not called successes"

echo 'ALLOC order=4' | trace small '# release=6.12.0 page_size=4096'
echo 'ALLOC order=4' | trace large '# release=6.12.0 page_size=65536'
report small small
tap_grep '^4 \(64 kB\) +B ' "$OUT" "an order has the size of its pages"
report small large
tap_grep '^4 +B large +1 ' "$OUT" "and none where the page sizes differ"

# --- case 34: two configurations are not compared in silence -------------------------------------------------
seq 100 | sed 's/.*/ALLOCFAIL order=4 reason=config/' |
	trace case34a '# release=6.12.0 page_size=4096 thp_swap=0 cluster_slots=256'
{
	seq 97 | sed 's/.*/ALLOC order=4/'
	seq 3 | sed 's/.*/ALLOCFAIL order=4 reason=space/'
} | trace case34b '# release=6.12.0 page_size=4096 thp_swap=1 cluster_slots=512'
report --strict case34a case34b
tap_is "$STATUS" 1 "case 34: unequal conditions are a finding under --strict"
tap_grep 'conditions differ: thp_swap is 0 and 1' "$OUT" "case 34: thp_swap"
tap_grep 'conditions differ: cluster_slots is 256 and 512' "$OUT" "case 34: cluster size"
tap_grep '^4 \(64 kB\) +A case34a +0 +100 +100\.00 % .* 100 +0 +$' "$OUT" "case 34: 100 % because of the config"
tap_grep '^4 \(64 kB\) +B case34b +97 +3 +3\.00 % .* 0 +0 +$' "$OUT" "case 34: 3.00 % of other reasons"
"$SWAPTRACE" replay -q -o case34a.json case34a >/dev/null 2>&1
"$SWAPTRACE" replay -q -o case34b.json case34b >/dev/null 2>&1
report case34a.json case34b.json
tap_grep 'conditions differ: thp_swap is 0 and 1' "$OUT" "case 34: results of replays know their conditions, too"

# --- the shipped capture: what the kernel counted --------------------------------------------------------
sample=$TOP/traces/samples/6.12-mthp.swaptrace
swpout=$(sed -n 's,^ *64kB/stats/swpout:,,p' "${sample%.swaptrace}.txt")
fallback=$(sed -n 's,^ *64kB/stats/swpout_fallback:,,p' "${sample%.swaptrace}.txt")
report --format csv "$sample"
tap_grep "^4 \\(64 kB\\),6.12-mthp.swaptrace,${swpout:-none},${fallback:-none}," "$OUT" \
	"6.12-mthp: what the kernel's counters read"
"$SWAPTRACE" replay -q -o mthp.json --policy allocator=mthp-empty-only --policy allocator=cluster-6.12 "$sample" \
	>"$OUT" 2>"$ERR"
report -o mthp.d mthp.json
tap_is "$STATUS" 0 "report of its replays"
cp mthp.d/report.txt "$OUT"
tap_grep "^4 \\(64 kB\\) +. allocator=cluster-6.12 .* 2,165 +65 +2\\.91 % +0 +65 +0 +0 +0" "$OUT" \
	"with the model the reason of each fallback is known"
"$SWAPTRACE" replay -q --verify -o verify.json "$sample" >"$OUT" 2>"$ERR"
report verify.json
tap_grep '^ *source .* slots +LRU batches +explained$' "$OUT" "the table of --verify has slots and batches"
tap_grep '^recorded .* n/a +100\.00 % +100\.00 % +100\.00 % +n/a +0$' "$OUT" \
	"every slot is the kernel's; batches were not recorded"
for picture in alloc-fallback alloc-orders alloc-map free-runs; do
	if [ "$GP" ]; then
		status=0
		[ -s mthp.d/$picture.gp ] && [ -s mthp.d/$picture.dat ] && [ -s mthp.d/$picture.svg ] &&
			[ -s mthp.d/$picture.png ] && grep -q "$picture-" mthp.d/report.html || status=1
		tap_ok $status "$picture is drawn, and in the page"
	else
		tap_skip "$picture is drawn" "no gnuplot"
	fi
done
status=0
for f in mthp.d/*.gp; do
	grep -q "xrange \[" "$f" || status=1
done
tap_ok $status "every script states its range"

# --- case 42: the first fallback and the state then ----------------------------------------------------------
# Every 8th slot of 2 clusters is used; 0 is the header: 896 of 1,023 are free. Of each 8 slots the 7 behind the used
# one hold 7 aligned ranges of order 0, 3 of order 1, 1 of order 2: 896, 384, 128.
{
	for i in $(seq 8 8 1016); do
		echo "SLOTS type=0 off=$i"
	done
	echo 'ALLOCFAIL order=3'
} | trace case42 "# release=6.12.0 page_size=4096 cpus=1\n# device type=0 pages=1024 prio=-2 $SSD"
"$SWAPTRACE" replay -q -o case42.json case42 >"$OUT" 2>"$ERR"
report case42.json
tap_grep '^recorded +1 +3 \(32 kB\) +no-aligned-hole +87\.59 % +0 +0$' "$OUT" "case 42: first fallback, reason, free space"
tap_grep '^0 \(4 kB\) +896$' "$OUT" "case 42: aligned holes of order 0"
tap_grep '^1 \(8 kB\) +384$' "$OUT" "case 42: of order 1"
tap_grep '^2 \(16 kB\) +128$' "$OUT" "case 42: of order 2"
tap_grep '^3 \(32 kB\) +0$' "$OUT" "case 42: none of order 3"
# The free runs: 128 of the 7 slots between two used ones (0 is the header).
tap_grep '^ +4 +7 +128$' "$OUT" "case 42: free runs"

# --- case 28: devices ------------------------------------------------------------------------------------
for i in $(seq 1 1000); do
	printf 'ALLOC order=0 memcg=1\nALLOC order=0 memcg=2\n'
done | awk '{ print $0, "type=0 off=" NR }' | trace case28 "# release=6.12.0 cpus=1\n# device type=0 pages=100000 prio=-2 $SSD"
printf 'type=0 pages=1537 prio=10 memcg=1\ntype=1 pages=100000 prio=5 memcg=2\n' >tiers
"$SWAPTRACE" replay -q -o case28.json --policy devices=tiers case28 >"$OUT" 2>"$ERR"
report case28.json
tap_grep 'devices=tiers \(what-if\) +0 +10 +n/a +1,537 +1,000 +50\.00 % +1,000 +65\.10 % ' "$OUT" \
	"case 28: the fast device is 65.1 % full; its bytes are n/a without a page size"
tap_grep 'devices=tiers \(what-if\) +2 +1 +1,000$' "$OUT" "case 28: batch has 1,000 slots on the slow one"

# --- occupancy ---------------------------------------------------------------------------------------------
# Cluster 1 of 2 is given whole, dropped 60 us later and given again 60 us later. 120 slices of 120,000 / 120 + 1 =
# 1,001 ns; a slice shows its end, so it is empty from slice 59 (59,059 ns) to slice 119 (119,119 ns).
cat >map <<EOF2
# swaptrace text 1
# release=6.12.0 page_size=4096 cpus=1
# device type=0 pages=1024 prio=-2 $SSD
1000 0 1 a ALLOC order=9 type=0 off=512
61000 0 1 a FREE type=0 off=512 n=512
121000 0 1 a ALLOC order=9 type=0 off=512
EOF2
"$SWAPTRACE" replay -q -o map.json map >"$OUT" 2>"$ERR"
report -o map.d --format text map.json
grep -v '^#' map.d/alloc-map.dat | sed '/^$/d' >map.got
cat >map.want <<'EOF2'
0 0.00012012 0 512 0
0 5.9059e-05 512 1024 100
5.9059e-05 0.000119119 512 1024 0
0.000119119 0.00012012 512 1024 100
EOF2
tap_same map.got map.want "the occupancy map is what happened to the clusters"

# --- drains ------------------------------------------------------------------------------------------------
# Case 3: three lives of a batch with 1, 4 and 2 releases, all drained.
for n in 1 4 2; do
	echo "INIT batch=0x10"
	for _ in $(seq $n); do
		echo "RELEASE batch=0x10 n=14"
		echo "DRAIN site=__pagevec_release"
	done
done | trace case3 '# release=4.14.0 cpus=1'
report case3
tap_grep '^__pagevec_release +7 +n/a$' "$OUT" "case 3: recorded drains by call site; what they moved is not recorded"
"$SWAPTRACE" replay -q -o case3.json --policy drain=once case3 >"$OUT" 2>"$ERR"
report case3.json
tap_grep '^recorded +always +14 +7 +7 ' "$OUT" "case 3: 7 drains"
tap_grep '^drain=once \(what-if\) +once +14 +7 +3 ' "$OUT" "case 3: 3 with once a life"
tap_grep '^__pagevec_release +(7 +[0-9n/a]+ +3 |3 +[0-9n/a]+ +7 )' "$OUT" "case 3: by call site, side by side"
# The capture: its recorded events alone against the model that verifies on it.
sample=$TOP/traces/samples/6.12-truncate.swaptrace
report --format csv "$sample"
grep '^__folio_batch_release,\|^exit_mmap,\|^free_pages_and_swap_cache,' "$OUT" | sort >sites.recorded
"$SWAPTRACE" replay -q -o truncate.json "$sample" >"$OUT" 2>"$ERR"
report --format csv truncate.json
grep '^__folio_batch_release,\|^exit_mmap,\|^free_pages_and_swap_cache,' "$OUT" | sort >sites.replayed
tap_is "$(wc -l <sites.recorded)" 3 "6.12-truncate: call sites"
tap_same sites.recorded sites.replayed "and the replay of the kernel's own policy has the same counts"

tap_end
