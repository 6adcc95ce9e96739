# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Helpers for tests that need a guest; TAP on standard output. To be sourced:
#
#   . "$(dirname "$0")/lib.sh"
#   guest_or_skip 6.12 6.1                 # ends the test with a SKIP when no guest can be had
#   tap_plan 2
#   guest_run t1 --kernel 6.12 --workload t1-cluster --recorder "$RECORDER"
#   tap_ok $? "the guest runs"
#   tap_is "$(guest_vmstat pswpout)" 0 "swapoff writes nothing"
#   tap_end
#
# Variables: GUEST_TIMEOUT (seconds for one guest, default 120: other tests may run beside it).

GUEST_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
GUEST_WORK=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-guest.XXXXXX")
trap 'rm -rf "$GUEST_WORK"' EXIT
# Folder of what the last guest_run brought out.
GUEST_DIR=
TAP_COUNT=0
TAP_FAILED=0

tap_plan() {
	echo "1..$1"
	TAP_PLAN=$1
}

# tap_ok STATUS DESCRIPTION: a test passes where STATUS is 0. Returns STATUS.
tap_ok() {
	local status=$1
	shift
	TAP_COUNT=$((TAP_COUNT + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $TAP_COUNT - $*"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_COUNT - $*"
	fi
	return "$status"
}

# tap_is GOT WANT DESCRIPTION
tap_is() {
	local status=0
	[ "$1" = "$2" ] || status=1
	tap_ok $status "$3" || echo "# got '$1', want '$2'"
}

# tap_skip DESCRIPTION REASON: one test that can't be done here.
tap_skip() {
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT - $1 # SKIP $2"
}

# Lines of a file as TAP comments.
tap_show() {
	sed 's/^/# /' "$1"
}

# Last command of a test: fails when a test failed or was not run.
tap_end() {
	if [ "$TAP_COUNT" -ne "$TAP_PLAN" ]; then
		echo "# planned $TAP_PLAN tests, ran $TAP_COUNT"
		exit 1
	fi
	[ "$TAP_FAILED" -eq 0 ] || exit 1
	exit 0
}

# The whole test is skipped: before tap_plan.
tap_skip_all() {
	echo "1..1"
	echo "ok 1 # SKIP $*"
	exit 0
}

# guest_or_skip [KERNEL...]: returns when guests with these kernels (default 6.12) can be started
# here.
guest_or_skip() {
	local kernel status log=$GUEST_WORK/fetch.log
	[ $# -gt 0 ] || set -- 6.12
	for kernel; do
		status=0
		"$GUEST_TOP/lab/run.sh" --fetch --kernel "$kernel" >/dev/null 2>"$log" || status=$?
		[ $status -ne 0 ] || continue
		# 123: QEMU, a tool or the kernel package is not to be had. Anything else is a
		# defect.
		if [ $status -eq 123 ]; then
			tap_skip_all "$(sed -n 's/^lab: //p' "$log" | tail -n 2 | paste -s -d ';')"
		fi
		tap_plan 1
		tap_ok 1 "kernel $kernel can be prepared" || tap_show "$log"
		exit 1
	done
}

# guest_run NAME OPTIONS...: lab/run.sh with these options; files in GUEST_DIR, the script's output
# in GUEST_DIR/stdout. Its status is that of the guest's script (124 out of time, 125 the guest
# died). A failure shows the log.
guest_run() {
	local name=$1 status=0
	shift
	GUEST_DIR=$GUEST_WORK/$name
	GUEST_LOG=$GUEST_WORK/$name.log
	"$GUEST_TOP/lab/run.sh" --timeout "${GUEST_TIMEOUT:-120}" --out "$GUEST_DIR" "$@" \
		>/dev/null 2>"$GUEST_LOG" </dev/null || status=$?
	[ $status -eq 0 ] || tap_show "$GUEST_LOG"
	return $status
}

# guest_vmstat NAME: what the kernel counted during the phase under test of the last run; nothing
# where it has no such counter.
guest_vmstat() {
	sed -n "s/^$1 //p" "$GUEST_DIR/vmstat.txt"
}
