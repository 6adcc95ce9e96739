#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# doctor on made-up machines: cases 16, 19, 21, 22, 25 and 35, hooks of made-up kernels, what is missing. The probe of
# swapoff has a file of its own (doctor-probe.sh).
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
cd "$WORK" || exit 1

HEADER=$'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority'
PAGE_KB=$(($(getconf PAGESIZE) / 1024))

# machine NAME: a folder that SWAPTRACE_ROOT can be, with a kernel 6.12 and no swap.
machine() {
	ROOT=$WORK/$1
	mkdir -p "$ROOT/proc/sys/kernel" "$ROOT/proc/sys/vm" "$ROOT/sys/kernel/mm/swap" "$ROOT/sys/class/block"
	echo 6.12.117-test >"$ROOT/proc/sys/kernel/osrelease"
	echo 3 >"$ROOT/proc/sys/vm/page-cluster"
	echo true >"$ROOT/sys/kernel/mm/swap/vma_ra_enabled"
	echo "$HEADER" >"$ROOT/proc/swaps"
	printf 'pgpgin 9450000\npswpin 0\npswpout 0\nswap_ra 0\nswap_ra_hit 0\n' >"$ROOT/proc/vmstat"
	printf 'ffffffff81000000 T do_swap_page\n' >"$ROOT/proc/kallsyms"
	export SWAPTRACE_ROOT=$ROOT
}

# disk NAME ROTATIONAL
disk() {
	mkdir -p "$ROOT/sys/class/block/$1/queue"
	echo "$2" >"$ROOT/sys/class/block/$1/queue/rotational"
}

check_no_swap() {
	machine none
	run "$SWAPTRACE" doctor
	tap_is "$STATUS" 0 "case 22: exit 0"
	tap_grep '^swap traffic: 0 pages; no swap configured$' "$OUT" "case 22: pgpgin is no swap traffic"
	tap_grep_none '450,?000' "$OUT" "case 22: and is not shown"
	tap_grep 'hit rate n/a' "$OUT" "0 of 0 is no rate"
	tap_grep '^kernel: 6\.12\.117-test .* model v6\.12$' "$OUT" "the kernel and its model"
	tap_grep 'vmstat is not of the kernel.s procfs' "$ERR" "case 25: a made-up /proc is noticed"
	run "$SWAPTRACE" doctor --json
	tap_is "$(jq -c '[.swaptrace, .devices, .counters.pswpin, .counters.hit_pct, .procfs]' "$OUT")" \
		'["doctor",[],0,null,false]' "the same as JSON"
	rm "$ROOT/proc/swaps"
	run "$SWAPTRACE" doctor
	tap_grep 'built without CONFIG_SWAP' "$OUT" "a kernel without swap is something else"
}

check_devices() {
	machine hibernation
	printf '%s\n' "$HEADER" \
		'/swap\040area/hib.img                   file		16777212	2048		-2' \
		'/dev/zram0                              partition	4194300		1024		32767' \
		'/old\040(deleted)                       file		1048572		0		-3' \
		'/dev/dm-3                               partition	6442450940	0		5' >"$ROOT/proc/swaps"
	disk zram0 0
	disk dm-3 1
	run "$SWAPTRACE" doctor --json
	tap_is "$(jq -c '[.devices[].name]' "$OUT")" '["/dev/zram0","/dev/dm-3","/swap area/hib.img","/old"]' \
		"case 19: fill order"
	tap_is "$(jq -c '[.size_kb, .devices[3].deleted, .devices[2].rotational, .devices[1].rotational]' "$OUT")" \
		'[6464471024,true,null,true]' "case 19: sizes above 32 bits, removed files, unknown is null"
	tap_is "$(jq -c '[.readahead.mode, .readahead.bypassing_devices]' "$OUT")" '["cluster",1]' \
		"one rotational device makes it cluster readahead, zram goes around it"
	run "$SWAPTRACE" doctor
	tap_grep '^/old \(deleted\) +file +-3 ' "$OUT" "the table says so as well"
	tap_grep '^swap: 4 devices, 6,464,471,024 kB in all' "$OUT" "case 19: total"
	echo nonsense >>"$ROOT/proc/swaps"
	run "$SWAPTRACE" doctor
	tap_grep 'proc/swaps: 1 line not understood' "$ERR" "a line that is no device is named"
	echo 'MemTotal: 5 kB' >"$ROOT/proc/swaps"
	run "$SWAPTRACE" doctor
	tap_is "$STATUS" 3 "a file that is no list of devices is unreadable input"
}

check_zram() {
	machine zram
	printf '%s\n/dev/zram0 partition 2097148 264 100\n' "$HEADER" >"$ROOT/proc/swaps"
	disk zram0 0
	printf 'pswpin 598211\npswpout 702304\nswap_ra 31\nswap_ra_hit 12\n' >"$ROOT/proc/vmstat"
	run "$SWAPTRACE" doctor
	if [ $PAGE_KB = 4 ]; then
		tap_grep '^used: 2\.28 GiB read, 2\.68 GiB written since boot at 4 KiB pages, 264 kB resident now; readahead not applicable to this device$' \
			"$OUT" "case 21: what the device did, and no fault in readahead"
	else
		tap_skip "case 21" "it is about 4 KiB pages"
	fi
	tap_grep 'swap_ra 31, swap_ra_hit 12, hit rate 38\.71 %' "$OUT" "12 of 31 is 38.71 %"
	printf 'pswpout 702304\n' >"$ROOT/proc/vmstat"
	run "$SWAPTRACE" doctor
	tap_grep '^used: unknown' "$OUT" "a counter that is missing is not 0"
	tap_grep 'swap_ra n/a, swap_ra_hit n/a, hit rate n/a' "$OUT" "nor are the others"
	# A cluster is a PMD's worth of slots: page size / 8 entries. This has two slots less, header included.
	printf '%s\n/dev/zram0 partition %d 0 100\n' "$HEADER" $(((PAGE_KB * 128 - 3) * PAGE_KB)) >"$ROOT/proc/swaps"
	run "$SWAPTRACE" doctor
	tap_grep 'device smaller than one cluster: PMD order can never succeed' "$OUT" "case 35: smaller than a cluster"
}

check_swapoff() {
	machine swapoff
	printf '%s\n/dev/sda2 partition 8388604 2726297 -2\n' "$HEADER" >"$ROOT/proc/swaps"
	printf 'MemTotal: 8000000 kB\nMemAvailable:    1153433 kB\n' >"$ROOT/proc/meminfo"
	run "$SWAPTRACE" doctor --swapoff-check --rate 512
	tap_is "$STATUS" 1 "case 16: exit 1, which is no parse error"
	tap_grep '^will not fit: swapoff will fail with ENOMEM or trigger the OOM killer; shortfall 1,572,864 kB$' "$OUT" \
		"case 16: verdict"
	tap_grep '2,253 s for the part that fits' "$OUT" "case 16: time for the part that fits"
	run "$SWAPTRACE" doctor --swapoff-check --json
	tap_is "$(jq -c '[.fits, .shortfall_kb, .estimate_seconds]' "$OUT")" '[false,1572864,null]' "the same as JSON"
	printf 'MemAvailable: 2726297 kB\n' >"$ROOT/proc/meminfo"
	run "$SWAPTRACE" doctor --swapoff-check
	tap_is "$STATUS" 0 "what fits is exit 0"
	echo 'MemTotal: 1 kB' >"$ROOT/proc/meminfo"
	run "$SWAPTRACE" doctor --swapoff-check
	tap_is "$STATUS" 3 "no MemAvailable, no verdict"
	# 3,000 kB in zram which take 2,000 kB of memory: 1,000 more are needed.
	printf '%s\n/dev/zram0 partition 8388604 3000 5\n' "$HEADER" >"$ROOT/proc/swaps"
	printf 'MemAvailable: 1000 kB\n' >"$ROOT/proc/meminfo"
	disk zram0 0
	echo "3072000 2000000 $((2000 * 1024)) 0 0 0 0 0 0" >"$ROOT/sys/class/block/zram0/mm_stat"
	run "$SWAPTRACE" doctor --swapoff-check
	tap_is "$STATUS" 0 "memory that zram takes comes back"
}

check_interval() {
	machine constant
	run "$SWAPTRACE" doctor --interval 1
	tap_grep 'no counter changed in 1 s; is this a real /proc\?' "$ERR" "case 25: counters that never move"
	tap_grep_none 'hit rate' "$OUT" "case 25: no rate of them"
	# Case 15, on a machine that lives: 956 kB less in use, 5 pages more.
	printf '%s\n/dev/sda2 partition 8388604 3670016 -2\n' "$HEADER" >"$ROOT/proc/swaps"
	(sleep 0.4 && sed -i 's/3670016/3669060/' "$ROOT/proc/swaps" && sed -i 's/pswpin 0/pswpin 5/' "$ROOT/proc/vmstat") &
	run "$SWAPTRACE" doctor --interval 2
	wait
	tap_grep '^  pswpin +\+5$' "$OUT" "a delta is shown"
	tap_grep '^swap empties at [1-4][0-9][0-9]\.[0-9]+ kB/s \(0\.[0-9]+ MiB/s\): [0-9,]+ s \([0-9]+\.[0-9]+ h\) left' "$OUT" \
		"case 15: rate and the time that is left"
	run "$SWAPTRACE" doctor --interval 0
	tap_is "$STATUS" 2 "no time at all is wrong usage"
	run "$SWAPTRACE" doctor --rate 5
	tap_is "$STATUS" 2 "--rate alone is wrong usage"
}

check_hooks() {
	machine hooks
	cat >"$ROOT/proc/kallsyms" <<'END'
ffffffff81000000 T do_swap_page
ffffffff81000100 T swap_cache_get_folio
ffffffff81000200 T swapin_readahead
ffffffff81000300 T swap_cluster_readahead
END
	run "$SWAPTRACE" doctor --json
	tap_is "$(jq -c '.recording | [.btf, .groups.ra.possible, .groups.alloc.possible, .groups.lru.possible]' "$OUT")" \
		'[false,true,false,false]' "groups that this kernel's functions allow"
	holds '.recording.groups.ra | .found < .total and (.lost | index("what was read") != null)
		and (.missing | length) == .total - .found' "$OUT"
	tap_ok $? "hooks are counted, and what is lost is named"
	rm "$ROOT/proc/kallsyms"
	run "$SWAPTRACE" doctor
	tap_is "$STATUS" 0 "without a list of symbols"
	tap_grep 'hooks: unknown' "$OUT" "the hooks are unknown"
	rm "$ROOT/proc/vmstat"
	run "$SWAPTRACE" doctor
	tap_is "$STATUS" 3 "no /proc at all is unreadable input"
}

tap_plan 38
check_no_swap
check_devices
check_zram
check_swapoff
check_interval
check_hooks
tap_end
