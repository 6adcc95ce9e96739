# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# One machine state, several policies: a guest is saved right before the phase under test and goes
# on from there once for each policy. Sourced by run.sh.
#
# Two pipes lead into QEMU: one to its monitor, one to the guest's second serial port, where the
# guest waits for the name of its policy (lab/guest/lib.sh, lab_policy).

# Snapshots are kept in the disks' images, all of which must be qcow2. QEMU's NVMe cannot be saved.
SNAPSHOT_NAME=ready

check_snapshot_options() {
	local line
	command -v qemu-img >/dev/null || die "$EXIT_UNAVAILABLE" "qemu-img is not installed (package qemu-utils)"
	for line in ${SWAP_PLAN[@]+"${SWAP_PLAN[@]}"}; do
		[ "${line%% *}" != nvme ] ||
			die "$EXIT_USAGE" "--swap $SWAP: QEMU cannot save a guest with nvme disks;" \
				"with --policy take ssd (virtio that says it is not rotational)"
	done
}

# start_saved_guest DIR ARGS...: QEMU in the background, console in DIR/console.log, pipes in place.
start_saved_guest() {
	local dir=$1
	shift
	mkfifo "$WORK/monitor.in" "$WORK/monitor.out" "$WORK/line.in" "$WORK/line.out" 2>/dev/null
	exec {MONITOR}<>"$WORK/monitor.in" {LINE}<>"$WORK/line.in"
	start_qemu -serial "file:$dir/console.log" \
		-chardev "pipe,id=line,path=$WORK/line" -serial chardev:line \
		-chardev "pipe,id=monitor,path=$WORK/monitor" -mon chardev=monitor,mode=readline "$@"
}

end_saved_guest() {
	exec {MONITOR}>&- {LINE}>&-
	rm -f "$WORK"/monitor.* "$WORK"/line.*
}

# The guest says on its console that it has reached the state.
wait_for_ready() {
	while ! grep -q '^LAB-READY' "$OUT/console.log" 2>/dev/null; do
		kill -0 "$GUEST_PID" 2>/dev/null || return 1
		sleep 0.1
	done
}

# Boots the guest and leaves it saved in its disks.
save_guest() {
	local status=0
	start_saved_guest "$OUT"
	if wait_for_ready; then
		printf '%s\n' stop "savevm $SNAPSHOT_NAME" quit >&"$MONITOR"
	fi
	wait_for_guest || status=$?
	end_saved_guest
	if [ $status -ne 0 ] || ! qemu-img snapshot -l "$WORK/out.img" | grep -q " $SNAPSHOT_NAME "; then
		show_console
		[ $status -ne 124 ] || die "$EXIT_TIMEOUT" "the guest did not reach the state in $TIMEOUT s"
		die "$EXIT_LAB" "the guest could not be saved: it ended before it was ready (status $status)"
	fi
}

# What arrives while QEMU loads the state is lost, also a part of a line: said until the guest has
# understood it.
send_policy() {
	while kill -0 "$GUEST_PID" 2>/dev/null && ! grep -q '^guest: policy ' "$OUT/console.log" 2>/dev/null; do
		echo "policy $POLICY end" >&"$LINE"
		sleep 0.3
	done
}

# shellcheck disable=SC2317 # called by run_guest
resume_guest() {
	local status=0
	start_saved_guest "$OUT" -loadvm "$SNAPSHOT_NAME"
	send_policy
	wait_for_guest || status=$?
	end_saved_guest
	return $status
}

# run_policy NUMBER POLICY: from the saved state, files in OUT/NUMBER. In a subshell: it may die.
# Loading the state also puts the disks back to what they were.
run_policy() {
	trap 'interrupted 2' INT
	trap 'interrupted 15' TERM
	OUT=$OUT/$1 POLICY=$2
	prepare_out
	run_guest resume_guest
}

run_policies() {
	local number=0 policy status=0
	save_guest
	for policy in "${POLICIES[@]}"; do
		number=$((number + 1))
		rm -rf "$WORK/out"
		# In the background, and a signal is passed on to it.
		run_policy $number "$policy" &
		GUEST_PID=$!
		wait_for_guest || status=$?
	done
	return $status
}
