#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fresh recordings of the group lru: every drain, flush and batch size is predicted, and an independent count by the
# kernel's own kprobe events sees as many. timeout: 900
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

write_script() {
	cat >"$GUEST_WORK/lru.sh" <<'END'
. /lab/lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || tracing=/sys/kernel/debug/tracing
release=__folio_batch_release
grep -q " $release\$" /proc/kallsyms || release=__pagevec_release
echo 8192 >$tracing/buffer_size_kb
{
	echo "p:lab/drain lru_add_drain_cpu"
	echo "p:lab/move folio_batch_move_lru"
	echo "p:lab/release $release"
} >$tracing/kprobe_events || lab_die "no kprobe events"
echo 'comm == "workload"' >$tracing/events/lab/filter
echo 1 >$tracing/events/lab/enable
LAB_RECORD_ARGS="-e lru -b 16M --self-cost"
lab_record
workload truncate --files 400 --pages 48 --dir /run || lab_die "the workload failed"
lab_record_stop
echo 0 >$tracing/events/lab/enable
for name in drain move release; do
	echo "$name $(grep -c " $name:" $tracing/trace)"
done >/out/counts
END
}

count() {
	sed -n "s/^$1 //p" "$GUEST_DIR/counts"
}

# events FILTER: of the workload, in the dump
events() {
	grep -cE -e "^[0-9]+ [0-9]+ [0-9]+ workload $1" "$WORK/dump"
}

guest_or_skip 6.12 6.1
command -v jq >/dev/null || tap_skip_all "jq is not installed"
tap_plan 20
[ -x "${RECORDER:-}" ] || guest_recorder
tap_ok $? "a recorder without libraries is there"
GUEST_TIMEOUT=${GUEST_TIMEOUT:-300}
write_script

for kernel in 6.12 6.1; do
	guest_run "lru-$kernel" --kernel $kernel --script "$GUEST_WORK/lru.sh" --swap none --recorder "$RECORDER"
	tap_ok $? "$kernel: recorded"
	trace=$GUEST_DIR/lru.swaptrace
	run "$SWAPTRACE" info --verify "$trace"
	tap_is "$STATUS" 0 "$kernel: info --verify" || tap_show "$ERR"
	run "$SWAPTRACE" replay --verify --json "$trace"
	holds '.results[0].verify | .checked > 1000 and .checked == .agreed' "$OUT"
	tap_ok $? "$kernel: drains, flushes and batch sizes are predicted" ||
		jq -c '.results[0].verify' "$OUT" | tap_comment
	"$SWAPTRACE" dump "$trace" 2>/dev/null | grep -v '^#' >"$WORK/dump"
	tap_is "$(events DRAIN)" "$(count drain)" "$kernel: an independent count sees as many drains"
	tap_is "$(events RELEASE)" "$(count release)" "$kernel: and releases"
	# A batch is moved when it is full, or for each that a drain finds not empty.
	drained=$(grep -E '^[0-9]+ [0-9]+ [0-9]+ workload DRAIN' "$WORK/dump" |
		grep -oE '(add|rotate|deactivate_file|deactivate|lazyfree|activate)=[1-9]' | wc -l)
	tap_is $(($(events FLUSH) + drained)) "$(count move)" "$kernel: and batches moved"
	tap_is "$(events 'DRAIN site=__(folio_batch|pagevec)_release ')" "$(events 'RELEASE .*drained=0')" \
		"$kernel: releases drain once for each life of a batch"
	grep -qE '^LRUADD +\S+ +\S+ +[0-9]+ +[0-9]+$' "$GUEST_DIR/record.log" &&
		grep -q ' ns for each of the ' "$GUEST_DIR/record.log"
	tap_ok $? "$kernel: --self-cost says what the events cost" || tap_show "$GUEST_DIR/record.log"
done

# Memory that is swapped out: interrupts put what was written into the batch that rotates it, also while it is drained.
# Rarely one comes while the program for that batch is under way, which does not run again then: the kernel counts that
# (missed=), and nothing but that may explain a difference.
GUEST_TIMEOUT=300 guest_run lru-swap --kernel 6.12 --workload t1-cluster --size small --recorder "$RECORDER" \
	--record-from swapon --record-args "--events=lru -b 16M"
tap_ok $? "6.12, swapping: recorded"
run "$SWAPTRACE" replay --verify --json "$GUEST_DIR/t1-cluster.swaptrace"
holds '.results[0].verify | (.checked - .agreed) as $differ | .checked > 4000 and $differ <= 3 and
	.explained == $differ and all(.first_divergences[]; .why | test("programs were missed$"))' "$OUT"
tap_ok $? "6.12, swapping: drains, flushes and batch sizes are predicted" ||
	jq -c '.results[0].verify' "$OUT" | tap_comment
rotated=$("$SWAPTRACE" dump "$GUEST_DIR/t1-cluster.swaptrace" 2>/dev/null | grep -c ' LRUADD op=rotate ')
[ "$rotated" -gt 5000 ]
tap_ok $? "6.12, swapping: with folios rotated by interrupts" || tap_comment "only $rotated"
tap_end
