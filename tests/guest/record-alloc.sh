#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fresh recordings of the group alloc that began before swapon: every slot and every failure is predicted, the counters
# of the kernel are those of the trace. timeout: 900
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# The cgroup may have 16 folios of 64 kB in swap, the workload pages out 8 MB of them and 4 MB of pages.
write_limit_script() {
	cat >"$GUEST_WORK/limit.sh" <<'END'
. /lab/lib.sh
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
echo 1M >/sys/fs/cgroup/small/memory.swap.max
echo madvise >/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
LAB_RECORD_ARGS="-e alloc"
lab_record
lab_swapon
sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs
	exec workload mthp --mb 8 --iterations 1' >/dev/null 2>&1 || lab_die "the workload failed"
stat -c %i /sys/fs/cgroup/small >/out/cgroup
cp /sys/fs/cgroup/small/memory.swap.events /out/swap.events
lab_record_stop
END
}

write_middle_script() {
	cat >"$GUEST_WORK/middle.sh" <<'END'
. /lab/lib.sh
echo madvise >/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
LAB_RECORD_ARGS="-e alloc"
mkdir -p $LAB_STATE
lab_swapon
lab_workload mthp --mb 24 --iterations 2 --seed 5
lab_fault
lab_record
workload mthp --mb 10 --iterations 1 --seed 6 >/dev/null 2>&1 || lab_die "the second workload failed"
: >$LAB_STATE/end
wait $LAB_WORKLOAD_PID
workload mthp --mb 20 --iterations 1 --seed 7 >/dev/null 2>&1 || lab_die "the third workload failed"
lab_record_stop
END
}

# Three processes at once; their memory fills less than half of the device. Beyond that the kernel lets go of its lock
# in mid-search, to take back what the swap cache holds, and the trace does not tell how far the search had come.
write_parallel_script() {
	cat >"$GUEST_WORK/parallel.sh" <<'END'
. /lab/lib.sh
sizes=/sys/kernel/mm/transparent_hugepage
[ ! -e $sizes/hugepages-64kB ] || echo madvise >$sizes/hugepages-64kB/enabled
[ -e $sizes/hugepages-64kB ] || echo madvise >$sizes/enabled
LAB_RECORD_ARGS="-e ra,alloc"
lab_record
lab_swapon
for i in 1 2 3; do
	workload mthp --mb 20 --iterations 1 --seed $i >/dev/null 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait $pid || lab_die "a workload failed"
done
lab_record_stop
END
}

# verified WHAT MIN: the trace in $TRACE is sound and at least MIN answers of the allocator are predicted, all of them
verified() {
	run "$SWAPTRACE" info --verify "$TRACE"
	tap_is "$STATUS" 0 "$1: info --verify" || tap_show "$ERR"
	run "$SWAPTRACE" replay --verify --json "$TRACE"
	holds --argjson min "$2" '.results[0].verify |
		.allocs_checked >= $min and .allocs_agreed == .allocs_checked and .alloc_in_step == 1' "$OUT"
	tap_ok $? "$1: all slots and failures are predicted from the first on" ||
		jq -c '.results[0].verify' "$OUT" | tap_comment
}

# counted COUNTER KEY: what the kernel counted of 64 kB folios is what the replay counts
counted() {
	tap_is "$(jq ".results[0].alloc.orders[\"4\"].$2" "$OUT")" \
		"$(sed -n "s|^64kB/stats/$1:||p" "$GUEST_DIR/mthp.txt")" "6.12: $1 of 64 kB folios is the kernel's"
}

events() {
	"$SWAPTRACE" dump "$TRACE" 2>/dev/null | grep -v '^#' | grep -cE -e "$1"
}

guest_or_skip 6.12 6.1
command -v jq >/dev/null || tap_skip_all "jq is not installed"
tap_plan 31
[ -x "${RECORDER:-}" ] || guest_recorder
tap_ok $? "a recorder without libraries is there"
GUEST_TIMEOUT=${GUEST_TIMEOUT:-300}

for kernel in 6.12 6.1; do
	guest_run "mthp-$kernel" --kernel $kernel --workload mthp --size small --recorder "$RECORDER" \
		--record-from swapon
	tap_ok $? "$kernel: recorded"
	TRACE=$GUEST_DIR/mthp.swaptrace
	verified $kernel 10000
	[ $kernel = 6.12 ] || continue
	counted swpout swpout
	counted swpout_fallback fallback
	tap_is "$(events ' SWAPOUT order=0 .* split_of=')" \
		$((16 * $(sed -n 's|^64kB/stats/swpout_fallback:||p' "$GUEST_DIR/mthp.txt"))) \
		"6.12: folios that fell back come again as 16 pages each"
	"$SWAPTRACE" dump --header "$TRACE" | grep -q '^# note counters=begin .*thp_64kB_swpout=0 '
	tap_ok $? "6.12: the counters at the begin are in the header"
done

# Requests that overlap are not told step by step, so that a few answers can't be predicted: 0.1 % at most, each
# with the reason beside it.
write_parallel_script
for kernel in 6.12 6.1; do
	guest_run "parallel-$kernel" --kernel $kernel --cpus 2 --mem 400 --swap zram:256 --recorder "$RECORDER" \
		--script "$GUEST_WORK/parallel.sh"
	tap_ok $? "$kernel, 2 CPUs: recorded"
	TRACE=$GUEST_DIR/parallel.swaptrace
	run "$SWAPTRACE" info --verify "$TRACE"
	tap_is "$STATUS" 0 "$kernel, 2 CPUs: info --verify" || tap_show "$ERR"
	run "$SWAPTRACE" replay --verify --json "$TRACE"
	holds '.results[0].verify | .allocs_checked > 10000 and .alloc_in_step == 1 and
		.allocs_agreed * 1000 >= .allocs_checked * 999 and
		.explained >= .allocs_checked - .allocs_agreed' "$OUT"
	tap_ok $? "$kernel, 2 CPUs: slots and failures are predicted, exceptions explained"
	jq -c '.results[0].verify | [.allocs_checked, .allocs_agreed], .first_divergences[]' "$OUT" | tap_comment
	tap_is "$(jq -c '[.results[0].alloc.chunks[] | select(.cpus > 1)] | length > 0' "$OUT")" true \
		"$kernel, 2 CPUs: both were given slots"
done

# Begun in mid-life, with slots in use, lists of clusters in any order and slots caches partly filled.
write_middle_script
guest_run middle --kernel 6.12 --swap zram:128 --mem 400 --recorder "$RECORDER" --script "$GUEST_WORK/middle.sh"
tap_ok $? "mid-life: recorded"
TRACE=$GUEST_DIR/middle.swaptrace
verified "mid-life" 10000
[ "$(events ' PCPU .* side=alloc')" -gt 0 ] && [ "$(events ' PCPU .* side=free')" -gt 0 ]
tap_ok $? "mid-life: slots waited in both sides of a slots cache"
tap_is "$(jq '.results[0].verify.alloc_unknown' "$OUT")" null "mid-life: nothing of the start is unknown"

write_limit_script
guest_run limit --kernel 6.12 --script "$GUEST_WORK/limit.sh" --swap nvme:64 --recorder "$RECORDER"
tap_ok $? "limit: recorded" || tap_show "$GUEST_DIR/record.log"
TRACE=$GUEST_DIR/limit.swaptrace
verified limit 16
refused=$(awk '$1 == "max" { print $2 }' "$GUEST_DIR/swap.events")
[ "${refused:-0}" -gt 100 ]
tap_ok $? "limit: the kernel refused some" || tap_show "$GUEST_DIR/swap.events"
tap_is "$(events ' ALLOCFAIL .* reason=limit')" "$refused" "limit: as many requests say so as the kernel counted"
tap_is "$(events ' ALLOCFAIL .* reason=space')" 0 "limit: and no others failed"
[ "$(events " SWAPOUT .* memcg=$(cat "$GUEST_DIR/cgroup") ")" -gt 10 ]
tap_ok $? "limit: the cgroup is known by the number of its folder"
tap_end
