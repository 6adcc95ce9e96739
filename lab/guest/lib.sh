# SPDX-License-Identifier: GPL-2.0
# Functions for scripts in the guest: . /lab/lib.sh
# Variables that are set: LAB_NAME (name of the run), LAB_SWAP (lines "DEVICE PRIO", made by mkswap, not yet on),
# LAB_SIZE (small, normal), LAB_RECORD_ARGS, LAB_RECORD_FROM (start, phase).

lab_say() {
	echo "guest: $*" >&2
}

lab_die() {
	lab_say "$*"
	exit 1
}

# lab_swapon: every swap device of the run, with its priority where one was asked for.
lab_swapon() {
	echo "$LAB_SWAP" | while read -r device prio; do
		[ -n "$device" ] || continue
		workload swapon "$device" "$prio" || exit 1
	done || lab_die "swapon failed"
}

# Names of the swap devices that are on.
lab_swap_devices() {
	sed -n '2,$s/ .*//p' /proc/swaps
}
