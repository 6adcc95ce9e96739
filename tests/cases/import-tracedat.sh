#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# trace.dat of trace-cmd, and the text of trace-cmd report and perf script of the same run: the same drains, flushes
# and releases as our own recording of it, losses for each CPU, and files that are cut or damaged.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v zstd >/dev/null || tap_skip_all "zstd is not installed"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
DATA=$TOP/tests/data/tracecmd
SWAPTRACE_WITHOUT=${SWAPTRACE_NOBPF:-}

tap_plan 62

# --- without the library ------------------------------------------------------------------------------
without() {
	run "$1" import "$DATA/lru.dat" -o "$WORK/without.data"
	tap_is "$STATUS" 4 "a build without libtracecmd says so"
	tap_grep 'install libtracecmd-dev.* or import the text' "$ERR" "and what to do"
}
if [ -x "$SWAPTRACE_WITHOUT" ]; then
	without "$SWAPTRACE_WITHOUT"
else
	tap_skip "a build without libtracecmd says so" "there is none"
	tap_skip "and what to do" "there is none"
fi

# --- probes of the LRU in text ------------------------------------------------------------------------
# One drain that moves 2 additions, one flush of a full batch (31), one of a batch that a large folio joined (3), a
# drain of another CPU that finds nothing, one whose end is not seen, with a move behind it.
cat >"$WORK/probes.txt" <<'END'
 task-1 [000] 1.000000001: lru_add_drain: (ffffffff81000000) caller=exit_mmap+0xc1
 task-1 [000] 1.000000002: lru_add_drain_cpu: (ffffffff81000004) cpu=0 caller=lru_add_drain+0x1c
 task-1 [000] 1.000000003: folio_batch_move_lru: (ffffffff81000008) n=2 fn=lru_add+0x0
 other-2 [001] 1.000000004: mm_lru_activate: folio=0xff00 pfn=0x1
 task-1 [000] 1.000000005: mm_lru_insertion: folio=0xff00 pfn=0x1 lru=0 flags=Ma bd
 task-1 [000] 1.000000006: mm_lru_insertion: folio=0xff40 pfn=0x2 lru=0 flags=Ma bd
 task-1 [000] 1.000000007: lru_add_drain_cpu__return: (ffffffff81000010 <- ffffffff81000004)
 task-1 [000] 1.000000008: folio_batch_move_lru: (ffffffff81000008) n=31 fn=lru_add+0x0
 task-1 [000] 1.000000009: folio_batch_move_lru: (ffffffff81000008) n=3 fn=lru_activate+0x0
 task-1 [000] 1.000000010: p_lru_add_drain_cpu_0: (lru_add_drain_cpu+0x0/0x100) cpu=3 caller=arch_rethook_trampoline+0x0
 task-1 [000] 1.000000011: r_lru_add_drain_cpu_0: (lru_add_drain_all+0x10/0x100 <- lru_add_drain_cpu)
 task-1 [000] 1.000000012: __folio_batch_release: (ffffffff81000020) batch=0xff80 n=5 drained=0
 task-1 [000] 1.000000013: lru_add_drain_cpu: (ffffffff81000004) cpu=0 caller=__folio_batch_release+0x20
 task-1 [000] 1.000000014: folio_batch_move_lru: (ffffffff81000008) n=4 fn=lru_move_tail_fn+0x0
 task-1 [000] 1.000000015: lru_add_drain_cpu: (ffffffff81000004) cpu=0 caller=__folio_batch_release+0x20
 task-1 [000] 1.000000016: folio_batch_move_lru: (ffffffff81000008) n=4 fn=0xffffffff81000000
 task-1 [000] 1.000000017: folio_batch_move_lru: (ffffffff81000008) n=256 fn=lru_add+0x0
 task-1 [000] 1.000000018: __folio_batch_release: (ffffffff81000020) n=5 drained=0
 task-1 [000] 1.000000019: __folio_batch_release: (ffffffff81000020) batch=0xff80 n=x
END
cat >"$WORK/want" <<'END'
1000000002 0 - task LRUADD op=add n=2 tid=1
1000000002 0 - task DRAIN site=exit_mmap add=2 rotate=0 deactivate_file=0 deactivate=0 lazyfree=0 activate=0 tid=1
1000000008 0 - task LRUADD op=add n=31 tid=1
1000000008 0 - task FLUSH op=add n=31 tid=1
1000000009 0 - task LRUADD op=activate n=2 tid=1
1000000009 0 - task LRUADD op=activate large=1 n=1 tid=1
1000000009 0 - task FLUSH op=activate n=3 tid=1
1000000010 0 - task DRAIN add=0 rotate=0 deactivate_file=0 deactivate=0 lazyfree=0 activate=0 cpu=3 tid=1
1000000012 0 - task RELEASE batch=0xff80 n=5 drained=0 tid=1
1000000013 0 - task DRAIN site=__folio_batch_release tid=1
1000000014 0 - task LRUADD op=rotate n=4 tid=1
1000000015 0 - task DRAIN site=__folio_batch_release tid=1
END
run "$SWAPTRACE" import --format trace-cmd "$WORK/probes.txt" -o "$WORK/probes.data"
"$SWAPTRACE" dump --no-header "$WORK/probes.data" >"$WORK/got"
tap_same "$WORK/got" "$WORK/want" "drains, flushes and releases from probes"
tap_grep '4 lines not understood; the first is line 16: .*fn=' "$ERR" "an address, a size, a batch and a number that can't be"
tap_grep_none 'not in order' "$ERR" "a drain that waits for its end is not out of order"
run "$SWAPTRACE" replay --verify "$WORK/probes.data"
tap_grep 'batches at drains 0 of 0, flushes 0 of 0' "$OUT" "what was derived from flushes is not compared with them"
tap_grep 'not checked: .*LRUADD is derived' "$OUT" "and that is said"
# 2 + 4 in drains, 31 and 3 flushed
tap_is "$("$SWAPTRACE" replay --json "$WORK/probes.data" 2>/dev/null | jq -c '.results[0].lru | [.drains, .moved, .flushes, .flushed]')" \
	'[4,6,2,34]' "a replay finds in the batches what left them"
# Times of other clocks are whole numbers of nanoseconds.
sed 's/1\.0000000/10000000/' "$WORK/probes.txt" >"$WORK/whole.txt"
run "$SWAPTRACE" import "$WORK/whole.txt" -o "$WORK/whole.data"
tap_is "$STATUS $("$SWAPTRACE" dump --no-header "$WORK/whole.data" | cut -d' ' -f1 | head -n1)" "0 1000000002" "whole nanoseconds"
"$SWAPTRACE" dump --no-header "$WORK/whole.data" >"$WORK/got"
tap_same "$WORK/got" "$WORK/want" "give the same events"
# Where there is more than one buffer its name stands first, before the 16 columns of the task's.
printf 'lru:           task 1-1     [000]     1.5: mm_lru_insertion: x\n' >"$WORK/buffer.txt"
"$SWAPTRACE" import -q "$WORK/buffer.txt" -o "$WORK/buffer.data"
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/buffer.data")" '1500000000 0 - task\x201 LRUADD op=add n=1 tid=1' "the name of a buffer is not the task's"
# Without a probe of moves the tracepoints stand for those that joined; 5.15 has no move of additions.
grep -v folio_batch_move_lru "$WORK/probes.txt" >"$WORK/fewer.txt"
"$SWAPTRACE" import -q --format trace-cmd "$WORK/fewer.txt" -o "$WORK/fewer.data" 2>/dev/null
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/fewer.data" | grep -oE 'LRUADD op=\S+|DRAIN add' | tr '\n' ' ')" \
	"LRUADD op=activate LRUADD op=add LRUADD op=add " "tracepoints where there is no probe of moves"
sed 's/folio_batch_move_lru\(.*\)lru_add+/pagevec_lru_move_fn\1__activate_page+/' "$WORK/probes.txt" >"$WORK/old.txt"
"$SWAPTRACE" import -q --format trace-cmd "$WORK/old.txt" -o "$WORK/old.data" 2>/dev/null
tap_is "$("$SWAPTRACE" dump --no-header "$WORK/old.data" | head -n 4 | sed -E 's/^\S+ //')" \
	"0 - task LRUADD op=activate n=2 tid=1
0 - task DRAIN site=exit_mmap rotate=0 deactivate_file=0 deactivate=0 lazyfree=0 activate=2 tid=1
0 - task LRUADD op=add n=1 tid=1
0 - task LRUADD op=add n=1 tid=1" "before 5.19 the probe of moves tells nothing of additions, and the tracepoint does"

# --- the same run three times -----------------------------------------------------------------------------
if "$SWAPTRACE" import --format trace.dat "$DATA/lost.dat" -o "$WORK/none.data" 2>&1 | grep -q 'built without'; then
	without "$SWAPTRACE"
	while [ "$TAP_COUNT" -lt "$TAP_PLAN" ]; do
		tap_skip "trace.dat" "built without libtracecmd"
	done
	tap_end
fi
zstd -q -d "$DATA/lru-report.txt.zst" -o "$WORK/report.txt"
zstd -q -d "$DATA/lru-perf.txt.zst" -o "$WORK/perf.txt"
run "$SWAPTRACE" import "$DATA/lru.dat" -o "$WORK/lru.data"
tap_is "$STATUS $(wc -c <"$OUT")" "0 0" "trace.dat is recognised and read"
tap_grep_none 'warning' "$ERR" "and all of it is understood"
run "$SWAPTRACE" dump "$WORK/lru.data"
tap_grep '^# backend=trace.dat release=6\.12\.117\+deb12-cloud-amd64 arch=x86_64 cpus=2 derived=LRUADD$' "$OUT" \
	"kernel and CPUs are those of the recording"
tap_grep '^# note trace_clock=boot: times are of CLOCK_BOOTTIME$' "$OUT" "and so is the clock"
grep -v '^#' "$OUT" >"$WORK/binary.txt"
run "$SWAPTRACE" info "$WORK/lru.data"
tap_is "$(grep -cE '^lost +0 |^  loss cpu=[01] n=0$' "$OUT")" 3 "the kernel counted on each CPU that nothing was lost"
run "$SWAPTRACE" import "$WORK/report.txt" -o "$WORK/report.data"
"$SWAPTRACE" dump --no-header "$WORK/report.data" >"$WORK/text.txt"
tap_same "$WORK/binary.txt" "$WORK/text.txt" "trace-cmd report gives the same events, byte for byte"
# Counted in the text with tools of others.
count() {
	grep -c " $1: " "$WORK/report.txt"
}
in_dump() {
	grep -c " $1 " "$WORK/binary.txt"
}
tap_is "$(in_dump DRAIN)" "$(count lru_add_drain_cpu)" "as many drains as the text has"
tap_is "$(in_dump RELEASE)" "$(count __folio_batch_release)" "and releases"
moved() {
	sed -nE "s/.* folio_batch_move_lru: .* n=([0-9]+) fn=$1\+0x0\$/\1/p" "$WORK/report.txt" | paste -s -d +
}
joined=$(sed -nE 's/.* LRUADD op=add (large=1 )?n=([0-9]+) .*/\2/p' "$WORK/binary.txt" | paste -s -d +)
tap_is "$((joined))" "$(($(moved lru_add)))" "and folios that were moved to the lists"
# Each of them passes the tracepoint, but for those on the way when the recording ended.
difference=$(($(moved lru_add) - $(count mm_lru_insertion)))
tap_ok $((${difference#-} <= 31 ? 0 : 1)) "which is what the tracepoint counts ($difference more)"

# decisions FILE: of the workload from its first to its last release (before, a task has another program's name in
# some tools), without times and identities
decisions() {
	"$SWAPTRACE" dump --no-header "$1" 2>/dev/null |
		sed -nE 's/^[0-9]+ ([0-9]+) \S+ workload ((DRAIN|FLUSH|RELEASE) .*)/\1 \2/p' |
		sed -E 's/ (tid|batch|seq)=\S+//g' |
		awk '/RELEASE/ { seen = 1; printf "%s", held; held = ""; print; next } seen { held = held $0 "\n" }'
}
decisions "$DATA/lru.swaptrace" >"$WORK/own"
decisions "$WORK/lru.data" >"$WORK/got"
tap_ok $(($(wc -l <"$WORK/own") > 80 ? 0 : 1)) "our own recording of that run has drains, flushes and releases"
tap_same "$WORK/got" "$WORK/own" "trace-cmd saw the same, one by one"
run "$SWAPTRACE" import "$WORK/perf.txt" -o "$WORK/perf.data"
tap_is "$STATUS" 0 "perf script is recognised"
decisions "$WORK/perf.data" >"$WORK/got"
tap_same "$WORK/got" "$WORK/own" "and perf saw the same"
run "$SWAPTRACE" replay --verify --json "$WORK/lru.data"
tap_is "$(jq -c '.results[0].verify | [.checked == .agreed, .releases_checked]' "$OUT")" "[true,$(count __folio_batch_release)]" \
	"every release drained when the model says so"
# Each release that did not drain would have.
run "$SWAPTRACE" replay --policy drain=always --json "$WORK/lru.data"
tap_is "$(jq -c '[.results[] | {w: .what_if, l: .lru}] | (.[] | select(.w) | .l.drains) - (.[] | select(.w | not) | .l.drains + .l.drains_saved)' "$OUT")" \
	0 "and what-ifs can be asked: drain=always"
saved=$(jq '.results[] | select(.what_if | not) | .lru.drains_saved' "$OUT")
tap_is "$saved" "$(grep -c ' __folio_batch_release: .* drained=1$' "$WORK/report.txt")" "as many more drains as releases had the flag"

# What a release's drain moved had joined before the release, where a replay drains.
moved_at() {
	"$SWAPTRACE" dump --no-header "$WORK/lru.data" | sed -nE "s/.* DRAIN site=$1 add=([0-9]+) .*/\\1/p" | paste -s -d +
}
for site in __folio_batch_release exit_mmap; do
	tap_is "$("$SWAPTRACE" replay "$WORK/lru.data" | awk -v s=$site '$1 == s { gsub(",", "", $3); print $3 }')" \
		"$(($(moved_at $site)))" "$site: a replay finds what it moved"
done

# A pipe, and a clock that is not ours.
run "$SWAPTRACE" import --format trace.dat -o "$WORK/pipe.data" < <(cat "$DATA/lru.dat")
tap_same "$WORK/pipe.data" "$WORK/lru.data" "a pipe is read as well"
zstd -q -d "$DATA/lost-v6.dat.zst" -o "$WORK/v6.dat"
LC_ALL=C sed 's/\[boot\]/[perf]/g' "$WORK/v6.dat" >"$WORK/clock.dat"
run "$SWAPTRACE" import "$WORK/clock.dat" -o "$WORK/clock.data"
run "$SWAPTRACE" info "$WORK/clock.data"
tap_grep "note trace_clock=perf: times are not of CLOCK_BOOTTIME and can't be aligned" "$OUT" "another clock is named"

# --- losses -------------------------------------------------------------------------------------------------
zstd -q -d "$DATA/lost-report.txt.zst" -o "$WORK/lost.txt"
read -r cpu lost < <(sed -nE 's/^CPU:([0-9]+) \[([0-9]+) EVENTS DROPPED\]$/\1 \2/p' "$WORK/lost.txt")
run "$SWAPTRACE" import "$DATA/lost.dat" -o "$WORK/lost.data"
tap_is "$STATUS" 0 "a trace.dat that lost events"
tap_grep ": $lost events were lost while recording" "$ERR" "as many as trace-cmd report tells"
run "$SWAPTRACE" import --strict "$DATA/lost.dat" -o "$WORK/lost.data"
tap_is "$STATUS" 1 "--strict: loss is a finding"
run "$SWAPTRACE" info "$WORK/lost.data"
tap_grep "^  loss cpu=$cpu n=$lost\$" "$OUT" "of the CPU that lost them"
tap_is "$("$SWAPTRACE" replay --json "$WORK/lost.data" 2>/dev/null | jq '.results[0].lost')" "$lost" "loss travels into results"
"$SWAPTRACE" import -q "$WORK/lost.txt" -o "$WORK/text.data" 2>/dev/null
"$SWAPTRACE" dump --no-header "$WORK/lost.data" >"$WORK/binary.txt" 2>/dev/null
"$SWAPTRACE" dump --no-header "$WORK/text.data" >"$WORK/text.txt" 2>/dev/null
tap_same "$WORK/binary.txt" "$WORK/text.txt" "trace-cmd report gives the same events and losses"
run "$SWAPTRACE" import "$WORK/v6.dat" -o "$WORK/v6.data"
tap_same "$WORK/v6.data" "$WORK/lost.data" "the older format gives the same trace"

# A page that is full has no room for the number of events that were lost before it, only bit 31 of its head (at byte 8,
# bit 30: the number follows) says that some were. The kernel's count of the CPU, at the end of the file, has them.
page=$(od -An -v -t u1 -w4096 "$WORK/v6.dat" | awk '$10 < 16 && !$11 && $12 == 192 { print NR - 1; exit }')
cp "$WORK/v6.dat" "$WORK/full.dat"
printf '\200' | dd of="$WORK/full.dat" bs=1 seek=$((page * 4096 + 11)) conv=notrunc 2>/dev/null
run "$SWAPTRACE" import "$WORK/full.dat" -o "$WORK/full.data"
tap_grep ": $lost events were lost while recording" "$ERR" "a gap without a number: the CPU's count is right"
run "$SWAPTRACE" dump "$WORK/full.data"
tap_grep '^# note lost before t_ns=[0-9]+: at least' "$OUT" "and what is not known of it is said"
tap_is "$(sed -nE 's/.* (LOST n=[0-9]+( from)?).*/\1/p' "$OUT" | paste -s -d ,)" "LOST n=1,LOST n=$((lost - 1))" \
	"the rest was lost after the beginning of the gap, before which nothing was recorded there"

# --- cut and damaged ----------------------------------------------------------------------------------------
# The places of the data stand first in this format: what is before the cut is there.
head -c -5000 "$WORK/v6.dat" >"$WORK/cut.dat"
run "$SWAPTRACE" import "$WORK/cut.dat" -o "$WORK/cut.data"
tap_is "$STATUS" 1 "what can be read of a cut file is kept, and that is a finding"
tap_grep 'cut.dat: the end is missing or damaged; [1-9][0-9]* events are readable' "$ERR" "with a warning"
run "$SWAPTRACE" import --strict "$WORK/cut.dat" -o "$WORK/cut.data"
tap_is "$STATUS" 1 "--strict: it is a finding"
"$SWAPTRACE" dump --no-header "$WORK/cut.data" 2>/dev/null | grep ' FLUSH \| RELEASE ' | sort >"$WORK/some"
grep ' FLUSH \| RELEASE ' "$WORK/binary.txt" | sort | comm -23 "$WORK/some" - >"$WORK/only"
tap_ok $(($(wc -l <"$WORK/some") > 10 && $(wc -l <"$WORK/only") == 0 ? 0 : 1)) "nothing is in it that was not there"
run "$SWAPTRACE" info "$WORK/cut.data"
tap_grep 'was recovered from a damaged or cut trace, so events are missing' "$ERR" "the trace says so from then on"
# In the format of today they stand last.
head -c -300 "$DATA/lost.dat" >"$WORK/cut.dat"
cp "$WORK/lost.data" "$WORK/cut.data"
run "$SWAPTRACE" import "$WORK/cut.dat" -o "$WORK/cut.data"
tap_is "$STATUS" 3 "a file without its end can't be read"
tap_grep "cut.dat can't be read: .*trace-cmd restore" "$ERR" "and the message says what to do"
tap_same "$WORK/cut.data" "$WORK/lost.data" "and the trace that was there stays"
run "$SWAPTRACE" import --format trace.dat "$WORK/report.txt" -o "$WORK/none.data"
tap_is "$STATUS $(grep -c . "$ERR")" "3 1" "a text is no trace.dat: one error"

# A page that can't be unpacked, which the library takes for the end of its CPU. The kernel's count knows nothing of it.
for offset in 40000 60000; do
	cp "$DATA/lru.dat" "$WORK/page.dat"
	printf '\377\377\377\377' | dd of="$WORK/page.dat" bs=1 seek=$offset conv=notrunc 2>/dev/null
	run "$SWAPTRACE" import --strict "$WORK/page.dat" -o "$WORK/page.data"
	"$SWAPTRACE" dump --no-header "$WORK/page.data" 2>/dev/null | grep -c ' RELEASE ' >"$WORK/some"
	tap_is "$STATUS $(grep -c 'page.dat: the end is missing or damaged' "$ERR")" "1 1" \
		"a damaged page at $offset: $(cat "$WORK/some") releases, and it is said that more are missing"
done

# A library that ends the process, or crashes, after 500 records, as it may with a damaged file.
cat >"$WORK/end.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
void *tracecmd_read_data(void *in, int cpu)
{
	static void *(*read_data)(void *, int);
	static int n;

	if (!read_data)
		read_data = (void *(*)(void *, int))dlsym(RTLD_NEXT, "tracecmd_read_data");
	if (n++ == 500) {
		if (getenv("END_BY_EXIT"))
			exit(0);
		abort();
	}
	return read_data(in, cpu);
}
END
gcc -D_GNU_SOURCE -shared -fPIC -o "$WORK/end.so" "$WORK/end.c" 2>"$ERR"
tap_ok $? "a library with a fault" || tap_show "$ERR"
"$SWAPTRACE" dump --no-header "$WORK/lru.data" | grep ' FLUSH \| RELEASE ' | sort >"$WORK/all"
for way in END_BY_EXIT END_BY_ABORT; do
	run env $way=1 LD_PRELOAD="$WORK/end.so" ASAN_OPTIONS=verify_asan_link_order=0 \
		"$SWAPTRACE" import "$DATA/lru.dat" -o "$WORK/end.data"
	"$SWAPTRACE" dump --no-header "$WORK/end.data" 2>/dev/null | grep ' FLUSH \| RELEASE ' | sort >"$WORK/some"
	comm -23 "$WORK/some" "$WORK/all" >"$WORK/only"
	tap_is "$STATUS $(grep -c 'the end is missing or damaged' "$ERR") $(wc -l <"$WORK/only")" "1 1 0" "$way: a warning"
	tap_ok $(($(wc -l <"$WORK/some") >= 2 && $(wc -l <"$WORK/some") < $(wc -l <"$WORK/all") ? 0 : 1)) \
		"$way: what was read until then is kept"
done

# damaged FILE SEED: three bytes of it are others
damaged() {
	local size offset
	size=$(stat -c %s "$1")
	RANDOM=$2
	cp "$1" "$WORK/damaged.dat"
	for _ in 1 2 3; do
		offset=$(((RANDOM * 32768 + RANDOM) % size))
		printf '%b' "\\x$(printf '%02x' $((RANDOM % 256)))" |
			dd of="$WORK/damaged.dat" bs=1 seek=$offset conv=notrunc 2>/dev/null
	done
	run timeout 60 "$SWAPTRACE" import --format trace.dat "$WORK/damaged.dat" -o "$WORK/damaged.data"
}
: >"$WORK/odd"
read_all=0 refused=0
for seed in $(seq 30); do
	for file in "$DATA/lost.dat" "$WORK/v6.dat"; do
		damaged "$file" "$seed"
		case $STATUS in
		0 | 1) read_all=$((read_all + 1)) ;;
		3) refused=$((refused + 1)) ;;
		*) echo "seed $seed: status $STATUS" >>"$WORK/odd" ;;
		esac
		[ ! -s "$OUT" ] || echo "seed $seed: output" >>"$WORK/odd"
		[ "$STATUS" != 3 ] || [ "$(grep -c . "$ERR")" = 1 ] || echo "seed $seed: no error, or many" >>"$WORK/odd"
	done
done
tap_is "$(cat "$WORK/odd")" "" "damaged files are read or refused with one error"
tap_ok $((read_all > 5 && refused > 5 ? 0 : 1)) "some this way and some that ($read_all, $refused)"
tap_end
