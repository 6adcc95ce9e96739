#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One run recorded three ways at a time, by swaptrace, by trace-cmd and (PERF=1) by perf: what import makes of the
# other tools' files is what was recorded, and what the kernel lost for trace-cmd is lost in the trace. timeout: 900
#
# KEEP=DIR keeps the files; those in tests/data/tracecmd are of KEEP=DIR PERF=1 CPUS=2, as its README says.
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# The return probe comes first: a probe that is there before it sees its trampoline as the caller.
write_script() {
	cat >"$GUEST_WORK/tracecmd.sh" <<'END'
. /lab/lib.sh
tracing=/sys/kernel/tracing
release=__folio_batch_release drained=+2
grep -q " $release\$" /proc/kallsyms || release=__pagevec_release drained=+1
for probe in 'p:lru_add_drain lru_add_drain caller=$stack0:symbol' \
	'r:lru_add_drain_cpu__return lru_add_drain_cpu' \
	'p:lru_add_drain_cpu lru_add_drain_cpu cpu=%di:s32 caller=$stack0:symbol' \
	'p:folio_batch_move_lru folio_batch_move_lru n=+0(%di):u8 fn=%si:symbol' \
	"p:$release $release batch=%di n=+0(%di):u8 drained=$drained(%di):u8"; do
	echo "$probe" >>$tracing/kprobe_events || lab_die "no probe: $probe"
done
# trace-cmd copies all the kernel's symbols into its file: only those that are needed keep it small.
names='_text|_stext|_etext|lru_(add|move_tail|deactivate|deactivate_file|lazyfree|activate)(_fn)?|folio_activate_fn'
names="$names|lru_add_drain|lru_add_drain_cpu|folio_batch_move_lru|$release|exit_mmap|free_pages_and_swap_cache"
names="$names|vms_clear_ptes|relocate_vma_down|do_wp_page|mlock_fixup|populate_vma_page_range|shrink_lruvec"
grep -E " ($names)( |\$)" /proc/kallsyms >/run/symbols
cd /run
cat >/run/phase.sh <<'PHASE'
. /lab/lib.sh
umount /proc/kallsyms
if [ -n "${LOSE:-}" ]; then
	# As long as nobody reads the kernel's buffer it overwrites itself.
	killall -STOP trace-cmd
	workload truncate --files "$FILES" --pages 48 --dir /run || exit 1
	killall -CONT trace-cmd
	sleep 1
	FILES=2
else
	LAB_RECORD_ARGS="-e lru -b 16M"
	lab_record
fi
workload truncate --files "$FILES" --pages 48 --dir /run || exit 1
lab_record_stop
mount --bind /run/symbols /proc/kallsyms
PHASE
mount --bind /run/symbols /proc/kallsyms || lab_die "the symbols can't be filtered"
set -f
events="-e kprobes:* -e pagemap:mm_lru_insertion -e pagemap:mm_lru_activate"
command="sh /run/phase.sh"
[ -z "$PERF" ] || command="perf record -q -o /run/perf.data -a -k CLOCK_MONOTONIC -m 8M $events $command"
trace-cmd record -C boot -o /out/trace.dat $events -e vmscan:* $command >/out/trace-cmd.log 2>&1 ||
	{ cat /out/trace-cmd.log >&2; exit 1; }
trace-cmd report /out/trace.dat >/out/report.txt || exit 1
# 16 kB a CPU are some hundred events.
LOSE=1 trace-cmd record -C boot -b 16 -o /out/lost.dat $events sh /run/phase.sh >/out/lost.log 2>&1 ||
	{ cat /out/lost.log >&2; exit 1; }
trace-cmd report /out/lost.dat >/out/lost.txt || exit 1
umount /proc/kallsyms
[ -z "$PERF" ] || perf script --ns -i /run/perf.data -F comm,pid,tid,cpu,time,event,trace >/out/perf.txt || exit 1
END
}

# With its libraries, where the guest's loader looks for them.
programs() {
	local file program
	PROGRAMS=()
	for program; do
		PROGRAMS+=(--file "$(command -v "$program"):/bin/$program")
		for file in $(ldd "$(command -v "$program")" | grep -oE '(^|[[:space:]])/[^ ]+'); do
			PROGRAMS+=(--file "$file:$file")
		done
	done
}

# decisions FILE: drains, flushes and releases of the workload, from its first release to its last one, without times
# and identities (a task that has another program's name before is not the same in all tools)
decisions() {
	"$SWAPTRACE" dump --no-header "$1" 2>/dev/null |
		sed -nE 's/^[0-9]+ ([0-9]+) \S+ workload ((DRAIN|FLUSH|RELEASE) .*)/\1 \2/p' |
		sed -E 's/ (tid|batch|seq)=\S+//g' |
		awk '/RELEASE/ { seen = 1; printf "%s", held; held = ""; print; next } seen { held = held $0 "\n" }'
}

guest_or_skip 6.12 6.1
command -v trace-cmd >/dev/null || tap_skip_all "trace-cmd is not installed"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
"$SWAPTRACE" import --format trace.dat "$0" -o "$WORK/none" 2>&1 | grep -q 'built without' &&
	tap_skip_all "swaptrace was built without libtracecmd"
tap_plan 17
[ -x "${RECORDER:-}" ] || guest_recorder
tap_ok $? "a recorder without libraries is there"
GUEST_TIMEOUT=${GUEST_TIMEOUT:-300}
programs trace-cmd ${PERF:+perf}
MEM=300
[ -z "${PERF:-}" ] || MEM=600
write_script

for kernel in 6.12 6.1; do
	guest_run "tracecmd-$kernel" --kernel "$kernel" --script "$GUEST_WORK/tracecmd.sh" --swap none --cpus "${CPUS:-1}" \
		--recorder "$RECORDER" --mem "$MEM" --env FILES=40 --env PERF="${PERF:-}" "${PROGRAMS[@]}"
	tap_ok $? "$kernel: recorded"
	run "$SWAPTRACE" import "$GUEST_DIR/trace.dat" -o "$WORK/binary.data"
	tap_is "$STATUS" 0 "$kernel: trace.dat is read" || tap_show "$ERR"
	run "$SWAPTRACE" import "$GUEST_DIR/report.txt" -o "$WORK/text.data"
	"$SWAPTRACE" dump --no-header "$WORK/binary.data" >"$WORK/binary.txt"
	"$SWAPTRACE" dump --no-header "$WORK/text.data" >"$WORK/text.txt"
	tap_ok $(($(grep -cE ' (DRAIN|FLUSH|RELEASE) ' "$WORK/binary.txt") > 50 ? 0 : 1)) \
		"$kernel: and has drains, flushes and releases"
	tap_same "$WORK/binary.txt" "$WORK/text.txt" "$kernel: trace-cmd report gives the same events"
	decisions "$GUEST_DIR/tracecmd.swaptrace" >"$WORK/own"
	decisions "$WORK/binary.data" >"$WORK/imported"
	tap_ok $(($(wc -l <"$WORK/own") > 50 ? 0 : 1)) "$kernel: swaptrace recorded drains, flushes and releases"
	tap_same "$WORK/imported" "$WORK/own" "$kernel: trace-cmd saw the same drains, flushes and releases, one by one"
	run "$SWAPTRACE" import "$GUEST_DIR/lost.dat" -o "$WORK/lost.data"
	lost=$("$SWAPTRACE" info --json "$WORK/lost.data" 2>/dev/null | jq .lost)
	overrun=$(trace-cmd report --stat -i "$GUEST_DIR/lost.dat" 2>/dev/null | sed -n 's/^overrun: //p' | paste -s -d +)
	tap_ok $((overrun > 100 ? 0 : 1)) "$kernel: a small buffer loses events"
	tap_is "$lost" "$((overrun))" "$kernel: what the kernel lost for trace-cmd is lost in the trace"
	[ -z "${KEEP:-}" ] || cp -r "$GUEST_DIR" "$KEEP/"
done
tap_end
