# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Helpers for tests that need a guest, beside those of tests/lib.sh. To be sourced:
#
#   . "$(dirname "$0")/lib.sh"
#   guest_or_skip 6.12 6.1                 # ends the test with a SKIP when no guest can be had
#   tap_plan 2
#   guest_run t1 --kernel 6.12 --workload t1-cluster --recorder "$RECORDER"
#   tap_ok $? "the guest runs"
#   tap_is "$(guest_vmstat pswpout)" 0 "swapoff writes nothing"
#   tap_end
#
# tests/lib.sh (TAP, run) is included. Variables: GUEST_TIMEOUT (seconds for one guest, default 120: other tests may run beside it).

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
GUEST_TOP=$TOP
GUEST_WORK=$WORK
# Folder of what the last guest_run brought out.
GUEST_DIR=

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

# The recorder as guests need it: without libraries. Built here if it is not there yet.
guest_recorder() {
	RECORDER=$WORK/swaptrace.static
	[ -x "$TOP/swaptrace.static" ] || make -C "$TOP" swaptrace.static >"$WORK/make.log" 2>&1 ||
		{ tap_show "$WORK/make.log"; return 1; }
	cp "$TOP/swaptrace.static" "$RECORDER"
}

# guest_record KERNEL CPUS WORKLOAD: a fresh recording in $TRACE, and six tests on it: it was made, it is sound,
# the model predicts every window (on several CPUs 99.9 %) and 99.9 % of lookups and reads, differences of windows
# are explained, and the kernel's own counters agree. A read that memory pressure prevents is no fault of a model.
guest_record() {
	local kernel=$1 cpus=$2 workload=$3 what="$1, $2 CPU, $3" share=1000
	guest_run "$kernel-$workload-$cpus" --kernel "$kernel" --cpus "$cpus" --workload "$workload" \
		--recorder "$RECORDER" --size small --record-from swapon
	tap_ok $? "$what: recorded"
	TRACE=$GUEST_DIR/$workload.swaptrace
	run "$SWAPTRACE" info --verify "$TRACE"
	tap_is "$STATUS" 0 "$what: info --verify" || tap_show "$ERR"
	run "$SWAPTRACE" replay --verify --json "$TRACE"
	[ "$cpus" -eq 1 ] || share=999
	holds --argjson share $share '.results[0].verify |
		.windows_checked > 500 and .windows_agreed * 1000 >= .windows_checked * $share and
		.reads_agreed * 1000 >= .reads_checked * 999 and
		.lookups_agreed * 1000 >= .lookups_checked * 999' "$OUT"
	tap_ok $? "$what: windows, lookups and reads are predicted" ||
		jq -c '.results[0].verify' "$OUT" | tap_comment
	holds '.results[0].verify | .explained >= .windows_checked - .windows_agreed' "$OUT"
	tap_ok $? "$what: no window is left unexplained" ||
		jq -c '.results[0].verify.first_divergences' "$OUT" | tap_comment
	jq -c '.results[0].verify.first_divergences[]' "$OUT" | tap_comment
	"$SWAPTRACE" dump "$TRACE" | awk '/ READ / { n++; if (match($0, / ns=[0-9]+/)) { ns = substr($0, RSTART + 4,
		RLENGTH - 4) + 0; timed += ns > 1000 && ns < 500000000 } }
		END { print n + 0 " reads, " timed + 0 " timed"; exit !(n > 100 && timed * 1000 >= n * 999) }' >"$WORK/timed"
	tap_ok $? "$what: it is known how long reads took" || tap_show "$WORK/timed"
	holds --argjson read "$(guest_vmstat pswpin)" '.results[0].readahead.pages_read |
		. >= $read and . <= $read * 1.01 + 20' "$OUT"
	tap_ok $? "$what: pages read are the kernel's pswpin" || tap_show "$GUEST_DIR/vmstat.txt"
}
