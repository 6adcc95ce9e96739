# SPDX-License-Identifier: GPL-2.0
# about: a small disk without clusters to spare, where allocators place data apart; then swapoff, or --env THEN=faults
# needs: swap=ssd:64
# needs: policy-at=swapon
# needs: record-args=--events=ra,alloc
. /lab/lib.sh
# Where data lies matters to cluster readahead; clusters of slots are only on disks that are not rotational.
echo 0 >/sys/kernel/mm/swap/vma_ra_enabled
# --env LARGE=1: the units are folios of 64 kB.
[ "${LARGE:-0}" = 0 ] || echo madvise >/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
group=/sys/fs/cgroup/placed
echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group || lab_die "no memory cgroup"
[ -e $group/memory.reclaim ] || lab_die "this kernel has no memory.reclaim"
lab_begin
lab_expect_rotational 0
# --env TURN=1: pages are dropped one by one. --env MB=11 is for --swap ssd:16.
lab_workload placed --mb "${MB:-46}" --iterations "$(lab_size 2 10)" --turn "${TURN:-16}" --cgroup $group \
	${THEN:+--pattern "${PATTERN:-seq}"}
: >$LAB_STATE/go
lab_wait_state placed
lab_phase_begin
if [ "${THEN:-swapoff}" = swapoff ]; then
	lab_swapoff
else
	: >$LAB_STATE/read
	lab_wait_state "done"
fi
lab_phase_end
lab_end
