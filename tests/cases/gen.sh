#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gen and reproduce mthp: generated stimuli under several policies.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
tap_plan 54

# --- case 44: patterns of lookups -----------------------------------------------------------------------------
# pattern NAME ARGS...: calls, drains, windows and hits in the swap cache under both rules of swapoff.
pattern() {
	local name=$1 policy
	shift
	"$SWAPTRACE" gen "$@" --lookups 32 --cause swapoff -o "$WORK/$name" || return
	for policy in vanilla lookup-first; do
		"$SWAPTRACE" replay --json --init-hits 0 \
			--policy "readahead=cluster,page-cluster=3,swapoff=$policy" "$WORK/$name" |
			jq -c ".results[] | select(.policy | endswith(\"$policy\")) | .readahead |
				[.calls, .windows, .cache_hits, .drains]"
	done | tr '\n' ' '
}
# The expected values are those of the case. "vanilla" does not ask the cache, so its hits are not compared there.
for way in sequential reverse; do
	got=$(pattern $way $way --start 64)
	tap_is "$(echo "$got" | cut -d' ' -f1 | jq -c 'del(.[2])')" '[32,{"1":1,"2":31},31]' "case 44: $way, always called"
	tap_is "$(echo "$got" | cut -d' ' -f2)" '[7,{"1":1,"2":2,"4":1,"8":3},25,6]' "case 44: $way, looked up first"
done
got=$(pattern stride stride:2 --start 1000)
tap_is "$(echo "$got" | cut -d' ' -f1 | jq -c 'del(.[2])')" '[32,{"1":32},0]' "case 44: stride 2, always called"
tap_is "$(echo "$got" | cut -d' ' -f2)" '[32,{"1":32},0,0]' "case 44: stride 2, looked up first"
run "$SWAPTRACE" dump "$WORK/reverse"
tap_is "$(awk '$5 == "LOOKUP" { print $7 }' "$OUT" | sed -n '1p;$p' | tr '\n' ' ')" "off=95 off=64 " \
	"case 44: reverse runs from 95 down to 64"
tap_grep '^# note generated: swaptrace gen reverse seed=1' "$OUT" "the header says that it is generated"

# --- seeds ----------------------------------------------------------------------------------------------------
small=(--memory 12M --limit 4M --device 8M --cpus 2)
"$SWAPTRACE" gen mthp "${small[@]}" --seed 7 -o "$WORK/seed7"
"$SWAPTRACE" gen mthp "${small[@]}" --seed 7 -o "$WORK/again"
"$SWAPTRACE" gen mthp "${small[@]}" --seed 8 -o "$WORK/seed8"
tap_same "$WORK/seed7" "$WORK/again" "a seed gives the same bytes"
! cmp -s "$WORK/seed7" "$WORK/seed8"
tap_ok $? "another seed does not"
run "$SWAPTRACE" gen mthp "${small[@]}" --seed 7 -o -
tap_same "$OUT" "$WORK/seed7" "-o - is standard output"
run "$SWAPTRACE" dump "$WORK/seed7"
cp "$OUT" "$WORK/text"
run "$SWAPTRACE" import "$WORK/text" -o "$WORK/back"
run "$SWAPTRACE" dump "$WORK/back"
tap_same "$OUT" "$WORK/text" "a generated trace survives dump and import"

# --- every policy, every invariant ------------------------------------------------------------------------------
# 6 MiB of memory, 3 of it resident: 768 pages are out at the end, more than a device of 3 MiB has (its first slot is the
# header), so full devices are met, too, and the second cluster is a partial one. Invariants are checked after every event.
allocators="scan-6.1 mthp-empty-only nonfull-v1 cluster-6.12 cluster-6.18"
policies=()
for a in $allocators; do
	policies+=(--policy "allocator=$a")
done
for seed in 1 2; do
	"$SWAPTRACE" gen mthp --memory 6M --limit 3M --device 3M --cpus 3 --touches 300 --seed $seed -o "$WORK/check"
	run env SWAPTRACE_CHECK=1 "$SWAPTRACE" replay --json "${policies[@]}" "$WORK/check"
	tap_is "$STATUS" 0 "seed $seed: no invariant breaks"
	tap_is "$(jq -c '[.results[] | .alloc.orders | [.[] | .swpout + .fallback] | add > 100] | unique' "$OUT")" \
		"[true]" "seed $seed: and every policy was asked"
done
run "$SWAPTRACE" replay --json "${policies[@]}" "$WORK/seed7"
tap_is "$(jq -c '[.results[] | select(.policy != "recorded") | .what_if] | unique' "$OUT")" "[true]" \
	"policies are what-ifs"
tap_is "$(jq -c '[.results[].alloc.recorded] | unique' "$OUT")" "[null]" "no kernel answered anything"
# 12 MiB of memory, 4 of it resident: 2048 pages want to be out, and the device has 2047 slots.
tap_is "$(jq -c '[.results[].alloc.devices[].type] | unique' "$OUT")" "[0]" "nothing is allocated from the imaginary device"
tap_is "$(jq -c '[.results[].alloc.devices[0] | .used <= 2047 and .used > 1900] | unique' "$OUT")" "[true]" \
	"and the real one fills up"
run "$SWAPTRACE" report "$WORK/seed7"
tap_grep_none 'requests for swap slots' "$OUT" "a report of the trace itself knows of no answers either"
echo "type=0 pages=2048 flags=imaginary" >"$WORK/devices"
run "$SWAPTRACE" replay --policy "devices=$WORK/devices" "$WORK/seed7"
tap_is "$STATUS" 2 "a policy cannot bring an imaginary device"
echo "type=0 pages=1024" >"$WORK/devices"
run "$SWAPTRACE" replay --json --policy "devices=$WORK/devices" "$WORK/seed7"
tap_is "$(jq -c '.results[] | select(.policy != "recorded") | .alloc | [.devices[0].pages, .unplaced > 900]' "$OUT")" \
	"[1024,true]" "but another real one: half the size leaves half of the 2048 pages without a place"
run "$SWAPTRACE" replay --verify "$WORK/seed7"
tap_is "$(grep -c 'allocations and failures' "$OUT")" 0 "there is nothing to verify"

# --- tsat -------------------------------------------------------------------------------------------------------
"$SWAPTRACE" gen tsat --small --iterations 5 -o "$WORK/tsat"
run "$SWAPTRACE" replay --json "${policies[@]}" "$WORK/tsat"
# tsat NAME FILTER: of the folios of 64 kB under one allocator.
tsat() {
	jq -c ".results[] | select(.policy == \"allocator=$1\") | .alloc.orders | (.[4]? // .[\"4\"]) | $2" "$OUT"
}
# A real 6.11.11 with the test's steps (golden vectors, README 6): 960 went out whole, the first fill, and none after it.
tap_is "$(tsat mthp-empty-only .swpout)" 960 "tsat: empty clusters run out after the first fill"
# 256 draws of 960 units hit 224.8 different ones: what every one of the 5 rounds asks for.
tap_is "$(tsat mthp-empty-only '.fallback | . > 1000 and . < 1250')" true "tsat: and everything after it falls back"
# The same real run under v1 had 1349 of 2249.
tap_is "$(tsat nonfull-v1 '.swpout > 1100 and .fallback > 0')" true "tsat: v1 finds places again"
tap_is "$(tsat cluster-6.12 '.swpout > 1100')" true "tsat: and so does 6.12"
"$SWAPTRACE" gen tsat --aligned --iterations 5 -o "$WORK/aligned"
run "$SWAPTRACE" replay --json "${policies[@]}" "$WORK/aligned"
# The first fill takes 30 of 32 clusters, and each of the 5 rounds asks for some 225 units again, 7 clusters.
tap_is "$(tsat mthp-empty-only '.fallback > 500')" true "tsat -a: empty clusters run out"

# --- reproduce mthp -----------------------------------------------------------------------------------------------
run "$SWAPTRACE" reproduce mthp --scale 16 --json
tap_is "$STATUS" 0 "reproduce mthp"
# shares POLICY: of the orders 2 to 6.
shares() {
	jq -c ".results[] | select(.policy == \"allocator=$1\") | [.alloc.orders | to_entries[] |
		select((.key | tonumber) >= 2 and (.key | tonumber) <= 6) | .value | .fallback / (.swpout + .fallback)]" "$OUT"
}
# The thread's direction. Before: 43, 46, 51, 74, 99 %; after: 0, 0, 0, 0.2, 74 %.
tap_is "$(shares mthp-empty-only | jq -c '[min > 0.2, .[4] > 0.7, .[4] > .[3], .[3] > .[2], .[2] > .[0]]')" \
	"[true,true,true,true,true]" "before: fallback everywhere, and rising with the size"
tap_is "$(shares nonfull-v1 | jq -c '[(.[:3] | max) < 0.001, .[3] < 0.1, .[4] > 0.5]')" "[true,true,true]" \
	"after v1: none for the small orders, the largest still fall back"
# Where every folio goes out when its time has come, accessed or not, all orders fare alike: the published difference
# between 16 kB and 256 kB is 56 points.
"$SWAPTRACE" gen mthp --device 640M --memory 1G --limit 512M --cpus 2 --fifo -o "$WORK/fifo"
run "$SWAPTRACE" replay --json --policy allocator=mthp-empty-only "$WORK/fifo"
tap_is "$(shares mthp-empty-only | jq -c '[min > 0.2, max - min < 0.15]')" "[true,true]" \
	"without a second round for accessed folios all orders fall back alike"
run "$SWAPTRACE" reproduce mthp --scale 32
tap_is "$STATUS" 0 "reproduce mthp prints tables"
tap_grep '^ *16 kB +18,234 +13,701 +42\.90 % .* [-+][0-9]+\.[0-9]$' "$OUT" "published beside replayed, and the distance"
tap_grep '^ *1024 kB +0 +0 +n/a .* n/a$' "$OUT" "no share of nothing"
# 71098.84 / 48805.63 = 1.4568
tap_grep '48,805\.63 -> 71,098\.84 ops/s \(\+45\.68 %\)' "$OUT" "throughput as published"
# The estimate is made from the counts above: 3 us a request and 0.5 us a page of what went out, 32 times; and
# 18,000,000 keys in 18,000,000 / 48,805.63 s less a 32nd of the difference.
cp "$OUT" "$WORK/mthp.txt"
"$SWAPTRACE" reproduce mthp --scale 32 --json 2>/dev/null | jq -r '
	[.results[:2][] | [.alloc.orders | to_entries[] | .value.swpout * (3 + pow(2; .key | tonumber) / 2)] | add * 32 / 1e6] |
	. + [18e6 / (18e6 / 48805.63 - (.[0] - .[1]) / 32)] | map(tostring) | join(" ")' >"$WORK/estimate"
read -r before after ops <"$WORK/estimate"
tap_grep "^estimate, not measured: 48,805\\.63 -> $(LC_ALL=C printf '%.2f' "$ops" | sed 's/^\(..\)/\1,/; s/\./\\./') ops/s .* $(LC_ALL=C printf '%.1f -> %.1f' "$before" "$after" | sed 's/\./\\./g') s" \
	"$WORK/mthp.txt" "an estimate of ours, from the replayed counts"
tap_grep '^ *assumptions: 3\.0 us a write request and 0\.5 us a page' "$WORK/mthp.txt" "with its assumptions"
tap_grep 'block= is an assumption' "$WORK/mthp.txt" "what was assumed of the workload is said"
# "Before" rises: in the first tenth clusters are left, in the last all falls back.
tap_grep '^ *mthp-empty-only +0\.00 % .* 100\.00 %$' "$OUT" "before: fallback rises over time"
tap_grep 'not its run: compare shares' "$OUT" "and what it can be compared for"
run "$SWAPTRACE" reproduce mthp --capture "$WORK/seed7"
tap_grep "^replayed: $WORK/seed7" "$OUT" "a trace of one's own"
run "$SWAPTRACE" reproduce mthp --capture "$WORK/reverse"
tap_is "$STATUS" 3 "a trace without swap-outs"

# --- held against the vectors of the kernels' own code ------------------------------------------------------------
# thp_swap_allocator_test, four rounds on one CPU, in the vectors high-tsat-p16384-c1: 1,864 swap-outs of 64 kB, of
# which 960, 1,247 and 1,316 got slots. The random pages differ from ours; 3 % of the swap-outs are 56.
"$SWAPTRACE" gen tsat --small --iterations 4 -o "$WORK/tsat"
run "$SWAPTRACE" replay -q --json --policy allocator=mthp-empty-only --policy allocator=nonfull-v1 \
	--policy allocator=cluster-6.12 "$WORK/tsat"
for row in mthp-empty-only:960:904 nonfull-v1:1247:617 cluster-6.12:1316:548; do
	IFS=: read -r name ok fail <<<"$row"
	tap_is "$(jq -c --argjson ok "$ok" --argjson fail "$fail" ".results[] | select(.policy == \"allocator=$name\") |
		.alloc.orders[\"4\"] | [(.swpout - \$ok | fabs <= 56), (.fallback - \$fail | fabs <= 56)]" "$OUT")" \
		"[true,true]" "tsat, $name: as many swap-outs and fallbacks as the kernel's code, within 3 %"
done
# The table seedlike (4 CPUs, memory of 160 % of the device, 300 pages read back for 100 written): a plain fill, the
# oldest folio first out. Before, 19 % at every size; after v1 none up to 128 kB. An eighth of its size here.
"$SWAPTRACE" gen mthp --device 1280M --memory 2G --limit 1G --fifo --touches 300 --block 32 --rewrite 0 --cpus 4 \
	-o "$WORK/seedlike"
run "$SWAPTRACE" replay -q --json --policy allocator=mthp-empty-only --policy allocator=nonfull-v1 "$WORK/seedlike"
tap_is "$(shares mthp-empty-only | jq -c 'map(. > 0.11 and . < 0.27) | unique')" "[true]" \
	"seedlike: all orders fall back alike before, 19 % give or take 8"
tap_is "$(shares nonfull-v1 | jq -c '[.[:4] | max == 0]')" "[true]" "seedlike: and none up to 128 kB after v1"

# --- usage ----------------------------------------------------------------------------------------------------------
run "$SWAPTRACE" gen mthp
tap_is "$STATUS" 2 "gen without -o is a usage error"
run "$SWAPTRACE" gen nonsense -o "$WORK/x"
tap_is "$STATUS" 2 "an unknown pattern"
run "$SWAPTRACE" gen sequential --touches 5 -o "$WORK/x"
tap_is "$STATUS" 2 "an option of another pattern"
run "$SWAPTRACE" gen mthp --cpus 4294967297 -o "$WORK/x"
tap_is "$STATUS" 2 "too many CPUs"
run "$SWAPTRACE" reproduce mthp --scale 3
tap_is "$STATUS" 2 "a scale that cuts CPUs"

tap_end
