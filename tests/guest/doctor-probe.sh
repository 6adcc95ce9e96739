#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# doctor --probe-swapoff on stock 6.12, which asks the swap cache first and counts hits: VMA and cluster readahead, with
# memory.reclaim of cgroup2 and without any memory cgroup. And on the lab kernel, where that has been built (make
# lab-kernel), for each form of swapoff that it can be switched to. timeout: 600
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

write_script() {
	cat >"$GUEST_WORK/probe.sh" <<'END'
. /lab/lib.sh
device=$(echo "$LAB_SWAP" | sed -n '1s/ .*//p')
probe() {
	swaptrace doctor --probe-swapoff --device "$device" --json >"/out/$1.json" 2>"/out/$1.err"
	echo "$1 $?" >>/out/statuses
}
swaptrace doctor >/out/doctor.txt 2>/out/doctor.err
probe pageout
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
probe vma
echo 0 >/sys/kernel/mm/swap/vma_ra_enabled
probe cluster
echo 0 >/proc/sys/vm/page-cluster
probe off
sed 1d /proc/swaps >/out/left
ls -d /sys/fs/cgroup/swaptrace* >>/out/left 2>/dev/null
exit 0
END
}

# The values of the mode: an idealised walk of 4,096 pages on a kernel that has been idle before. The state of cluster
# readahead is global and what was before is in it, for a window or two.
counters() {
	holds -s --arg reclaim "$2" --argjson ra "$3" '.[0] | .behaves_like == "lookup-first" and .reclaim == $reclaim and
		.swapped == 4096 and .cached == 0 and
		((.measured.swap_ra - $ra) | fabs) <= 16 and ((.measured.swap_ra_hit - $ra) | fabs) <= 16' \
		"$GUEST_DIR/$1.json"
}

# What the lab kernel says of its switch is not asked for: the counters alone must tell.
write_lab_script() {
	cat >"$GUEST_WORK/lab.sh" <<'END'
. /lab/lib.sh
device=$(echo "$LAB_SWAP" | sed -n '1s/ .*//p')
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
for form in vanilla lookup-first lookup-only; do
	echo $form >/sys/module/swaptrace/parameters/swapoff || lab_die "no swapoff=$form"
	for enabled in 1 0; do
		echo $enabled >/sys/kernel/mm/swap/vma_ra_enabled
		swaptrace doctor --probe-swapoff --device "$device" --json >"/out/$form-$enabled.json" 2>>/out/errors
	done
done
exit 0
END
}

# told FORM VMA_RA: the probe found out
told() {
	tap_is "$(jq -r '.behaves_like' "$GUEST_DIR/$1-$2.json" 2>&1)" "$1" \
		"lab kernel, swapoff=$1, $([ "$2" = 1 ] && echo VMA || echo cluster) readahead" ||
		tap_show "$GUEST_DIR/$1-$2.json"
	jq -c .measured "$GUEST_DIR/$1-$2.json" | tap_comment
}

check_lab_kernel() {
	local form mode
	if ! "$TOP/lab/run.sh" --fetch --kernel lab >/dev/null 2>"$WORK/lab.log"; then
		for _ in 1 2 3 4 5 6 7; do
			tap_skip "the lab kernel's forms of swapoff" "$(sed -n 's/^lab: //p' "$WORK/lab.log" | tail -n 1)"
		done
		return
	fi
	write_lab_script
	guest_run lab --kernel lab --cpus 1 --swap nvme:64 --recorder "$RECORDER" --script "$GUEST_WORK/lab.sh"
	tap_ok $? "the lab kernel runs"
	for form in vanilla lookup-first lookup-only; do
		for mode in 1 0; do
			told $form $mode
		done
	done
}

guest_or_skip 6.12
command -v jq >/dev/null || tap_skip_all "jq is not installed"
write_script
tap_plan 15
guest_recorder
tap_ok $? "a program without libraries is built"
guest_run probe --kernel 6.12 --cpus 1 --swap nvme:64 --recorder "$RECORDER" --script "$GUEST_WORK/probe.sh"
tap_ok $? "the guest runs"
counters vma memory.reclaim 3582
tap_ok $? "VMA readahead: 3,582 pages, all of them hits" || tap_show "$GUEST_DIR/vma.json"
counters cluster memory.reclaim 3584
tap_ok $? "cluster readahead: 3,584 pages, all of them hits" || tap_show "$GUEST_DIR/cluster.json"
tap_is "$(tr '\n' ';' <"$GUEST_DIR/statuses")" "pageout 0;vma 0;cluster 0;off 4;" \
	"with page-cluster 0 there is nothing to tell"
tap_grep 'page-cluster is 0' "$GUEST_DIR/off.err" "and the message says so"
grep -q '^pageout 0' "$GUEST_DIR/statuses" && counters pageout MADV_PAGEOUT 3582
tap_ok $? "without a memory cgroup" || tap_show "$GUEST_DIR/pageout.err"
tap_is "$(cat "$GUEST_DIR/left")" "" "nothing is left"
check_lab_kernel
tap_end
