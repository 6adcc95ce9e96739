#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# doctor --probe-swapoff on the machine that runs the tests: what it says on a kernel whose generation is known, and
# that nothing stays behind after signals and refusals. Needs root, swapon and loop devices; only a device of its own
# is switched on and off. Two of these at a time would see each other's devices, hence sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1
unset SWAPTRACE_ROOT

# A name of its own, so that its processes can be told from those of other tests.
PROBE=$WORK/probed
cp "$SWAPTRACE" "$PROBE"

# Names only: how much of them is used changes all the time.
devices() {
	awk '{ print $1 }' /proc/swaps
}

# What a probe may have left on this machine.
left_over() {
	grep -a 'swaptrace-probe' /sys/block/loop*/loop/backing_file
	devices | diff swaps-before -
	find /sys/fs/cgroup -maxdepth 2 -name 'swaptrace-probe.*'
	pgrep -f "$PROBE"
}

# clean DESCRIPTION: the loop device goes a moment after its last user.
clean() {
	local status=1
	for _ in $(seq 50); do
		left_over >left 2>/dev/null
		[ -s left ] || { status=0; break; }
		sleep 0.1
	done
	tap_ok $status "$1" || tap_show left
}

# Walks that the release may stand for. Before 5.8 a distribution may have taken the patch over (5.4.y did); after
# 6.18 the accounting may be back.
expected() {
	local major minor version
	IFS=. read -r major minor _ < <(uname -r)
	version=$((major * 1000 + ${minor%%[!0-9]*}))
	if [ $version -lt 5001 ]; then
		echo null
	elif [ $version -lt 5008 ]; then
		echo 'vanilla lookup-first'
	elif [ $version -lt 6018 ]; then
		echo lookup-first
	elif [ $version -eq 6018 ]; then
		echo lookup-only
	else
		echo 'lookup-only lookup-first'
	fi
}

check_refusals() {
	run env SWAPTRACE_ROOT=/nowhere "$SWAPTRACE" doctor --probe-swapoff
	tap_is "$STATUS" 2 "a machine that is made up can't be probed"
	run "$SWAPTRACE" doctor --size 64
	tap_is "$STATUS" 2 "--size alone is wrong usage"
	run "$SWAPTRACE" doctor --probe-swapoff --size 2
	tap_is "$STATUS" 2 "a size that is too small is wrong usage"
	run "$SWAPTRACE" doctor --probe-swapoff --swapoff-check
	tap_is "$STATUS" 2 "two things at a time are wrong usage"
}

# The program as a user without privilege: from a folder that such a user can read.
check_unprivileged() {
	local folder
	folder=$(mktemp -d /tmp/swaptrace-user.XXXXXX) && chmod 755 "$folder" && cp "$SWAPTRACE" "$folder/swaptrace"
	if setpriv --reuid 65534 --regid 65534 --clear-groups "$folder/swaptrace" --version >/dev/null 2>&1; then
		run setpriv --reuid 65534 --regid 65534 --clear-groups "$folder/swaptrace" doctor --probe-swapoff
		tap_is "$STATUS" 4 "without privilege: exit 4"
		tap_grep 'needs root with CAP_SYS_ADMIN' "$ERR" "and what is needed"
	else
		tap_skip "without privilege: exit 4" "setpriv cannot change the user here"
		tap_skip "and what is needed" "setpriv cannot change the user here"
	fi
	rm -rf "$folder"
}

check_verdict() {
	local like
	run "$PROBE" doctor --probe-swapoff --json
	tap_is "$STATUS" 0 "the probe runs" || tap_show "$ERR"
	like=$(jq -r .behaves_like "$OUT")
	[ -n "$like" ] && [[ " $(expected) " == *" $like "* ]]
	tap_ok $? "this kernel's swapoff is what its release says" || tap_show "$OUT"
	# All counters are of the whole machine: a few pages of others are let pass.
	holds -s '.[0] | .behaves_like as $like | .measured as $m | [.predicted[] | select(.swapoff == $like)] | .[0] |
		.swap_ra > 0 and ((.swap_ra - $m.swap_ra) | fabs) <= 16 and
		((.swap_ra_hit - $m.swap_ra_hit) | fabs) <= 16' "$OUT"
	tap_ok $? "measured and predicted counters differ by 16 pages at most" || tap_show "$OUT"
	clean "and nothing is left"
}

# interrupted SIGNAL SECONDS: so long after the probe's device came on.
interrupted() {
	local pid
	"$PROBE" doctor --probe-swapoff --size 64 >/dev/null 2>&1 &
	pid=$!
	for _ in $(seq 1000); do
		devices | cmp -s swaps-before - || break
		sleep 0.005
	done
	! devices | cmp -s swaps-before - && sleep "$2" && kill "-$1" $pid
	tap_ok $? "SIG$1 while the device is on"
	wait $pid 2>/dev/null
	clean "and nothing is left after $2 s"
}

check_device() {
	local loop
	run "$SWAPTRACE" doctor --probe-swapoff --device "$WORK"
	tap_is "$STATUS" 4 "a folder is no device"
	tap_grep 'not a block device' "$ERR" "and the message says so"
	head -c 16M /dev/zero >area
	if ! loop=$(losetup -f --show area 2>/dev/null); then
		for what in "data are not overwritten" "and the message says so" "a swap area is used"; do
			tap_skip "$what" "losetup cannot make a device here"
		done
		return
	fi
	echo data >"$loop"
	run "$SWAPTRACE" doctor --probe-swapoff --device "$loop"
	tap_grep 'holds something that is not a swap area' "$ERR" "data are not overwritten"
	tap_is "$(head -c 4 "$loop")" data "they are still there"
	mkswap "$loop" >/dev/null 2>&1
	run "$SWAPTRACE" doctor --probe-swapoff --device "$loop" --json
	tap_is "$(jq -r .device "$OUT" 2>/dev/null)" "$loop" "a swap area is used" || tap_show "$ERR"
	losetup -d "$loop"
}

command -v jq >/dev/null || tap_skip_all "jq is not installed"
[ "$(id -u)" -eq 0 ] || tap_skip_all "only root can switch swap on"
[ -r /proc/swaps ] || tap_skip_all "this kernel has no swap"
devices >swaps-before
[ "$(cat /proc/sys/vm/page-cluster)" -gt 0 ] || tap_skip_all "page-cluster is 0: nothing is read ahead"
# What the machine refuses is no fault of the program; anything else shows in the tests below.
if ! "$SWAPTRACE" doctor --probe-swapoff >/dev/null 2>first; then
	grep -qE 'swapon was refused|loop|cannot be locked|could be pushed out|needs root|are available' first &&
		tap_skip_all "$(head -n 1 first | sed 's/^swaptrace: error: //')"
fi

tap_plan 25
check_refusals
check_unprivileged
check_verdict
for signal in INT TERM KILL; do
	interrupted $signal 0
done
interrupted TERM 0.05
interrupted KILL 0.1
check_device
tap_end
