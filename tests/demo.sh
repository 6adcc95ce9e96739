#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A tour: `make demo`. Installs what is missing, builds, then looks into a recorded swapoff of a real kernel,
# verifies the model against it, draws it, and prints the tables of the thread that swaptrace started from.
#
# Variables: LIVE=1 records a new capture in a guest first. REPORT: folder for the report (default report/demo).
set -eu -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$TOP"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
SAMPLE=traces/samples/6.12-cluster-swapoff.swaptrace
REPORT=${REPORT:-report/demo}
LOG=build/demo.log
STEP=0

# step ABOUT: the heading of what follows.
step() {
	STEP=$((STEP + 1))
	printf '\n== %s. %s\n' "$STEP" "$*"
}

# try COMMAND...: shows the command as it can be typed, and runs it.
try() {
	printf '$ %s\n\n' "$*"
	"$@"
}

failed() {
	local status=$?
	[ $status -eq 0 ] || printf '\ndemo: %s failed (exit status %s)\n' \
		"$([ "$STEP" -eq 0 ] && echo "the set-up" || echo "step $STEP")" "$status" >&2
}

# quietly COMMAND...: what it says goes to the log, and is shown where it fails.
quietly() {
	local status=0
	"$@" >>"$LOG" 2>&1 || status=$?
	[ $status -eq 0 ] || tail -n 40 "$LOG" >&2
	return $status
}

set_up() {
	local missing
	export GUESTS=${LIVE:-0} PATH=$PATH:/usr/sbin:/sbin
	mkdir -p build
	: >"$LOG"
	missing=$(lab/deps.sh --missing | tr '\n' ' ')
	echo "== Setting up (log: $LOG)"
	[ -z "$missing" ] || echo "installing ${missing% }"
	quietly lab/deps.sh
	echo "building ./swaptrace"
	quietly make --no-print-directory -j 2
}

record_live() {
	local dir=build/demo
	step "Boot Debian's 6.12 kernel in QEMU, fill its swap, record its swapoff"
	quietly make --no-print-directory swaptrace.static
	try lab/run.sh --workload t1-cluster --size small --recorder ./swaptrace.static --record-from swapon --out $dir
	SAMPLE=$(find $dir -maxdepth 1 -name '*.swaptrace' | head -n 1)
	[ -n "$SAMPLE" ] || {
		echo "demo: the guest brought no trace out; see $dir" >&2
		return 1
	}
}

main() {
	local cluster=()
	trap failed EXIT
	set_up
	if [ "${LIVE:-0}" = 1 ]; then
		record_live
		cluster=(--cluster "$SAMPLE")
	fi

	step "What is in the capture of a real swapoff?"
	try ./swaptrace info "$SAMPLE"
	step "Does the model decide what that kernel decided, every time?"
	try ./swaptrace replay --verify "$SAMPLE"
	step "Draw it"
	mkdir -p "$(dirname "$REPORT")"
	try ./swaptrace report -o "$REPORT" "$SAMPLE"
	step "The published tables of the swapoff thread (April 2020) beside ours, from this capture"
	try ./swaptrace reproduce swapoff ${cluster[@]+"${cluster[@]}"}
	printf '\nThe report: %s/report.html\n' "$REPORT"
}

main
