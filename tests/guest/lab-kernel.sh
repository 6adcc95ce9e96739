#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The lab kernel (make lab-kernel; skipped where it has not been built): every switch does what it says, and the windows
# that record derives from the kernel's state, as it has to on other kernels, are those that its functions return.
# timeout: 1800
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

FORMS="vanilla lookup-first lookup-only"

write_switches_script() {
	cat >"$GUEST_WORK/switches.sh" <<'END'
. /lab/lib.sh
switches=/sys/module/swaptrace/parameters
for name in swapoff drain lruadd allocator; do
	echo "$name=$(cat $switches/$name)"
done >/out/boot
{ echo nonsense >$switches/swapoff; } 2>/dev/null
echo "nonsense: $? $(cat $switches/swapoff)" >>/out/boot

for form in vanilla lookup-first lookup-only; do
	echo $form >$switches/swapoff || lab_die "no swapoff=$form"
	LAB_NAME=$form
	rm -rf $LAB_STATE
	mkdir $LAB_STATE
	lab_record
	lab_swapon
	lab_workload t1 --procs 3 --mb 20
	lab_swapoff
	lab_end
done

LAB_RECORD_ARGS="-e lru -b 16M"
for drain in once always; do
	echo $drain >$switches/drain || lab_die "no drain=$drain"
	LAB_NAME=$drain
	lab_record
	workload truncate --files 60 --pages 400 --dir /run || lab_die "the workload failed"
	lab_record_stop
done

# The kernel's own count of the out-of-line test while files are read.
tracing=/sys/kernel/tracing
echo swaptrace_evictable_call >$tracing/set_ftrace_filter
for how in no-barrier outline-mb inline-mb inline-relaxed; do
	echo $how >$switches/lruadd || lab_die "no lruadd=$how"
	echo 0 >$tracing/function_profile_enabled
	echo 1 >$tracing/function_profile_enabled
	workload truncate --files 20 --pages 80 --dir /run
	echo "$how $(awk '$1 == "swaptrace_evictable_call" { n = $2 } END { print n + 0 }' $tracing/trace_stat/function0)"
done >/out/calls
echo 0 >$tracing/function_profile_enabled
END
}

write_allocator_script() {
	cat >"$GUEST_WORK/allocator.sh" <<'END'
. /lab/lib.sh
size=/sys/kernel/mm/transparent_hugepage/hugepages-64kB
echo madvise >$size/enabled
LAB_RECORD_ARGS="-e alloc -b 16M"
for allocator in cluster-6.12 nonfull-v1 mthp-empty-only; do
	echo $allocator >/sys/module/swaptrace/parameters/allocator || lab_die "no allocator=$allocator"
	LAB_NAME=$allocator
	rm -rf $LAB_STATE
	mkdir $LAB_STATE
	out=$(cat $size/stats/swpout) back=$(cat $size/stats/swpout_fallback)
	lab_record
	lab_swapon
	lab_workload mthp --mb 47 --iterations 4
	lab_fault
	lab_end
	echo "$allocator $(($(cat $size/stats/swpout) - out)) $(($(cat $size/stats/swpout_fallback) - back))" >>/out/folios
	lab_swapoff
done
END
}

# windows FORM: calls of swapoff by window, "1 2 4 8 all"
windows() {
	"$SWAPTRACE" dump "$GUEST_DIR/$1.swaptrace" 2>/dev/null | awk '
		$4 == "swapoff" && $5 == "RA" && match($0, / ret=[0-9]+/) {
			n[substr($0, RSTART + 5, RLENGTH - 5)]++
			all++
		}
		END { print n[1] + 0, n[2] + 0, n[4] + 0, n[8] + 0, all + 0 }'
}

# verified TRACE WHAT: with the policy that the header names, every decision on one CPU
verified() {
	run "$SWAPTRACE" replay --verify --json "$1"
	holds '.results[0] | .what_if == false and .verify.windows_checked > 500 and
		.verify.windows_agreed == .verify.windows_checked' "$OUT"
	tap_ok $? "$2: every window is predicted" || jq -c '.results[0].verify' "$OUT" | tap_comment
}

# derived TRACE MODE SHARE WHAT: at least SHARE of a thousand derived windows are those returned
derived() {
	run "$SWAPTRACE" info --json "$1"
	holds --arg mode "$2" --argjson share "$3" '.windows[$mode] | .derived > 500 and .derived * 1000 >= .probed * $share and
		.equal * 1000 >= .derived * $share' "$OUT"
	tap_ok $? "$4: derived windows are the probed ones" || jq -c .windows "$OUT" | tap_comment
	jq -c --arg mode "$2" '.windows[$mode]' "$OUT" | sed "s/^/$4: /" | tap_comment
}

check_swapoff() {
	local one two four eight all form
	for form in $FORMS; do
		read -r one two four eight all < <(windows "$form")
		echo "# $form: $one of 1, $two of 2, $four of 4, $eight of 8, $all calls"
		case $form in
		vanilla) [ "$all" -gt 10000 ] && [ $((two * 10)) -gt $((all * 8)) ] ;;
		lookup-first) [ "$all" -gt 1000 ] && [ $((eight * 2)) -gt "$all" ] ;;
		lookup-only) [ "$all" -gt 5000 ] && [ $(((one + two) * 100)) -gt $((all * 99)) ] ;;
		esac
		tap_ok $? "swapoff=$form: its windows"
		verified "$GUEST_DIR/$form.swaptrace" "swapoff=$form"
		derived "$GUEST_DIR/$form.swaptrace" cluster 1000 "swapoff=$form, cluster, 1 CPU"
	done
}

# events DRAIN FILTER: of the workload
events() {
	"$SWAPTRACE" dump "$GUEST_DIR/$1.swaptrace" 2>/dev/null | grep -cE "^[0-9]+ [0-9]+ [0-9]+ workload $2"
}

check_drain() {
	local release=' ?RELEASE ' drains='DRAIN site=__folio_batch_release ' mode
	tap_is "$(events once "$drains")" "$(events once "$release.*drained=0")" "drain=once: one for each life of a batch"
	tap_is "$(events always "$drains")" "$(events always "$release")" "drain=always: one for each release"
	[ "$(events always "$drains")" -ge $((2 * $(events once "$drains"))) ] && [ "$(events once "$drains")" -gt 50 ]
	tap_ok $? "which are at least twice as many" ||
		echo "# drain=once: $(events once "$drains"), drain=always: $(events always "$drains")"
	for mode in once always; do
		run "$SWAPTRACE" replay --verify --json "$GUEST_DIR/$mode.swaptrace"
		tap_is "$STATUS" 0 "drain=$mode: the model predicts it" || jq -c '.results[0].verify' "$OUT" | tap_comment
	done
}

check_evictable() {
	tap_is "$(awk '$2 > 100 { $2 = "many" } { print }' "$GUEST_DIR/calls" | paste -s -d ';')" \
		"no-barrier 0;outline-mb many;inline-mb 0;inline-relaxed 0" "lruadd: the test is a call with outline-mb only"
}

# folios ALLOCATOR: 64 kB folios that went out whole, and that fell back, by the kernel's counters
folios() {
	sed -n "s/^$1 //p" "$GUEST_DIR/folios"
}

check_allocator() {
	local allocator whole back of_6_12 of_v1 of_empty
	for allocator in cluster-6.12 nonfull-v1 mthp-empty-only; do
		read -r whole back < <(folios $allocator)
		run "$SWAPTRACE" replay --verify --json "$GUEST_DIR/$allocator.swaptrace"
		holds --argjson whole "$whole" --argjson back "$back" '.results[0] | .what_if == false and
			.alloc.allocator == $ARGS.positional[0] and .verify.allocs_checked > 20000 and
			.verify.allocs_agreed == .verify.allocs_checked and
			.alloc.orders["4"].swpout == $whole and .alloc.orders["4"].fallback == $back' \
			"$OUT" --args "$allocator"
		tap_ok $? "allocator=$allocator: every slot and every fallback is predicted" ||
			jq -c '.results[0] | .verify, .alloc.orders' "$OUT" | tap_comment
		echo "# allocator=$allocator: $whole went out whole, $back fell back," \
			"$(jq '.results[0].verify.allocs_checked' "$OUT") decisions"
	done
	read -r _ of_6_12 < <(folios cluster-6.12)
	read -r _ of_v1 < <(folios nonfull-v1)
	read -r whole of_empty < <(folios mthp-empty-only)
	[ "$of_empty" -gt "$whole" ] && [ $((3 * of_6_12)) -lt "$of_empty" ] && [ $((3 * of_v1)) -lt "$of_empty" ]
	tap_ok $? "with empty clusters only most fall back, with the others few"
}

guest_or_skip lab
command -v jq >/dev/null || tap_skip_all "jq is not installed"
write_switches_script
write_allocator_script
tap_plan 29
[ -x "${RECORDER:-}" ] || guest_recorder
tap_ok $? "a recorder without libraries is there"
GUEST_TIMEOUT=${GUEST_TIMEOUT:-600}
guest_run switches --kernel lab --cpus 1 --swap virtio --recorder "$RECORDER" --script "$GUEST_WORK/switches.sh" \
	--append swaptrace.drain=always
tap_ok $? "the kernel boots and takes every value"
tap_is "$(paste -s -d ';' "$GUEST_DIR/boot")" \
	"swapoff=lookup-first;drain=always;lruadd=no-barrier;allocator=cluster-6.12;nonsense: 1 lookup-first" \
	"words of the command line count, others are 6.12's own, nonsense is refused"
check_swapoff
check_drain
check_evictable
guest_run allocator --kernel lab --cpus 1 --swap zram:64 --recorder "$RECORDER" --script "$GUEST_WORK/allocator.sh"
tap_ok $? "64 kB folios with each search of the slot allocator"
check_allocator
for cpus in 1 2; do
	share=$((cpus == 1 ? 1000 : 999))
	guest_run "vma-$cpus" --kernel lab --cpus $cpus --workload t1-vma --size small --recorder "$RECORDER"
	tap_ok $? "VMA readahead, $cpus CPU: recorded"
	derived "$GUEST_DIR/t1-vma.swaptrace" vma $share "VMA readahead, $cpus CPU"
done
guest_run cluster-2 --kernel lab --cpus 2 --workload t1-cluster --size small --recorder "$RECORDER"
tap_ok $? "cluster readahead, 2 CPUs: recorded"
derived "$GUEST_DIR/t1-cluster.swaptrace" cluster 999 "cluster readahead, 2 CPUs"
tap_end
