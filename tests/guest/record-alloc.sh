#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fresh recordings of the group alloc that began before swapon: every slot and every failure is predicted, the counters
# of the kernel are those of the trace. timeout: 900
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

write_limit_script() {
	cat >"$GUEST_WORK/limit.sh" <<'END'
. /lab/lib.sh
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
echo 8M >/sys/fs/cgroup/small/memory.max
# 12 folios of 512 kB and 100 pages: the next large folio does not fit, while reclaim, which wants 64 pages, sees room.
echo 6544K >/sys/fs/cgroup/small/memory.swap.max
echo madvise >/sys/kernel/mm/transparent_hugepage/hugepages-512kB/enabled
LAB_RECORD_ARGS="-e alloc"
lab_record
lab_swapon
# More than memory and swap of the cgroup together: the out-of-memory killer ends it, and that is meant.
sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs
	exec workload mthp --mb 24 --iterations 1' >/dev/null 2>&1
stat -c %i /sys/fs/cgroup/small >/out/cgroup
cp /sys/fs/cgroup/small/memory.swap.events /out/swap.events
lab_record_stop
END
}

# verified WHAT MIN: the trace in $TRACE is sound and at least MIN answers of the allocator are predicted, all of them
verified() {
	run "$SWAPTRACE" info --verify "$TRACE"
	tap_is "$STATUS" 0 "$1: info --verify" || tap_show "$ERR"
	run "$SWAPTRACE" replay --verify --json "$TRACE"
	jq -e --argjson min "$2" '.results[0].verify |
		.allocs_checked >= $min and .allocs_agreed == .allocs_checked and .alloc_in_step == 1' "$OUT" >/dev/null
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
tap_plan 17
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

write_limit_script
guest_run limit --kernel 6.12 --script "$GUEST_WORK/limit.sh" --swap nvme:64 --recorder "$RECORDER"
tap_ok $? "limit: recorded" || tap_show "$GUEST_DIR/record.log"
TRACE=$GUEST_DIR/limit.swaptrace
verified limit 10
# How close reclaim comes to the limit depends on the guest's pace; the kernel's own count says whether it was met.
refused=$(awk '$1 == "max" { print $2 }' "$GUEST_DIR/swap.events")
if [ "${refused:-0}" -gt 0 ]; then
	[ "$(events ' ALLOCFAIL .* reason=limit')" -gt 0 ]
	tap_ok $? "limit: requests that the memory cgroup refused say so"
else
	tap_skip "limit: requests that the memory cgroup refused say so" "the guest did not reach the limit in this run"
fi
tap_is "$(events ' ALLOCFAIL .* reason=space')" 0 "limit: and no others failed"
[ "$(events " SWAPOUT .* memcg=$(cat "$GUEST_DIR/cgroup") ")" -gt 10 ]
tap_ok $? "limit: the cgroup is known by the number of its folder"
tap_end
