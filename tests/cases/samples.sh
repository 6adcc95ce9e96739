#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The shipped captures of real kernels: the model of the recorded kernel arrives at every recorded decision, the
# counts are those of the guest's own /proc/vmstat, and a lookup-first capture shows what thread T1 published.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

SAMPLES=$TOP/traces/samples
NAMES="6.12-cluster-swapoff 6.12-vma-swapoff 6.1-cluster-swapoff 6.12-vma-fault-seq 6.12-cluster-fault-random 6.12-zram"

tap_plan 35

# result FILTER: of the JSON in $OUT
result() {
	jq -r "$1" "$OUT"
}

# vmstat NAME COUNTER: what the guest's kernel counted over the phase under test
vmstat() {
	awk -v name="$2" '$1 == name { print $2 }' "$SAMPLES/$1.txt"
}

# close GOT WANT: the recording also holds what happened before and after the phase: up to 1 % and 20 pages more
close() {
	[ "$1" -ge "$2" ] && [ "$1" -le $(($2 + $2 / 100 + 20)) ]
}

for name in $NAMES; do
	run "$SWAPTRACE" info --verify "$SAMPLES/$name.swaptrace"
	tap_is "$STATUS" 0 "$name: checksums are right, hits = delivered + lost + filtered"
	run "$SWAPTRACE" replay --verify --json "$SAMPLES/$name.swaptrace"
	tap_is "$STATUS $(result '.results[0].verify | .checked == .agreed and .checked > 25000')" "0 true" \
		"$name: every decision of the kernel is predicted"
	status=0
	close "$(result '.results[0].readahead.pages_read')" "$(vmstat "$name" pswpin)" || status=1
	tap_ok $status "$name: pages read are those of the guest's pswpin"
	status=0
	close "$(result '.results[0].readahead.ra_pages')" "$(vmstat "$name" swap_ra)" || status=1
	tap_ok $status "$name: readahead pages are those of the guest's swap_ra"
done

# share NUMBER OF RESULT...: share of calls with one of the windows, in whole percent
share() {
	local n=$1
	shift
	result "(.results | sort_by(.policy != \"recorded\"))[$n].readahead.windows as \$w | ([\$w[]] | add) as \$all |
		([\"$1\", \"${2:-$1}\"] | unique | map(\$w[.] // 0) | add) * 100 / \$all | floor"
}

for mode in cluster vma; do
	run "$SWAPTRACE" replay --json --policy swapoff=vanilla --policy model=v6.18 \
		"$SAMPLES/6.12-$mode-swapoff.swaptrace"
	status=0
	[ "$(share 0 8)" -ge 68 ] || status=1
	tap_ok $status "$mode swapoff, own policy: dominated by windows of 8, as T1 published after the patch"
	status=0
	[ "$(share 1 2)" -ge 80 ] || status=1
	tap_ok $status "$mode swapoff, vanilla: dominated by windows of 2, as T1 published before the patch"
	status=0
	[ "$(share 2 1 2)" -ge 95 ] || status=1
	tap_ok $status "$mode swapoff, 6.18: falls back to windows of 1 and 2"
done

run "$SWAPTRACE" reproduce swapoff --cluster "$SAMPLES/6.12-vma-swapoff.swaptrace"
tap_is "$STATUS" 3 "reproduce swapoff: a capture of VMA readahead is none of cluster readahead"
tap_grep 'its readahead was by VMA; give it with --vma' "$ERR" "and the option for it is named"
run "$SWAPTRACE" reproduce swapoff --cluster "$SAMPLES/6.12-cluster-fault-random.swaptrace"
tap_grep 'no swapoff needed any of its swap entries' "$ERR" "reproduce swapoff: a capture without one is told"
run "$SWAPTRACE" reproduce swapoff
tap_is "$STATUS" 0 "reproduce swapoff: exit 0"
tap_grep '^ +2 +527,771 +80\.19 % +4,960 +3\.28 %' "$OUT" "reproduce swapoff: the published rows stand beside ours"

tap_end
