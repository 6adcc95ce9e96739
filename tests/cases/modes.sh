#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which readahead answers a need when settings and devices change on the way, and what the bypass of a synchronous
# device goes by. Expected values follow from docs/kernel-facts.md, from #cluster-windows to #bypass; the calculation stands beside each.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 5

# trace NAME HEADER: a text of the event lines on standard input, one microsecond apart.
trace() {
	{
		printf '# swaptrace text 1\n%b\n' "$2"
		awk '{ printf "%d 0 100 task %s\n", NR * 1000, $0 }'
	} >"$WORK/$1"
}

# calls FILE: cluster windows, VMA windows, pages read and neighbours of unknown owner
calls() {
	"$SWAPTRACE" replay -q --json "$WORK/$1" 2>/dev/null |
		jq -c '.results[0].readahead | [.windows, .pages_read, .unknown_neighbours, .bypassed]'
}

VMA='vma=1 vma_start=0x0 vma_end=0x100000'
HEADER='# release=6.12.0 page_size=4096 page_cluster=3'

# Cluster: hits 4 -> 8, slots 8-15. VMA: a fresh word reads as hits 4 -> 8; of its 8 pages only the needed one has a
# known slot. Cluster again: no hits, last window 8 -> 4, slots 60-63. 8 + 1 + 4 pages.
trace sysfs "$HEADER vma_ra=0\n# device type=0 pages=100 flags=ssd" <<-END
	SLOTS type=0 off=1 n=99
	LOOKUP type=0 off=10 addr=0x10000 $VMA
	CONFIG vma_ra=1
	LOOKUP type=0 off=40 addr=0x20000 $VMA
	CONFIG vma_ra=0
	LOOKUP type=0 off=60 addr=0x30000 $VMA
END
tap_is "$(calls sysfs)" '[{"4":1,"8":2},13,7,0]' "vma_ra_enabled changes on the way"

# The other device is rotational, so the first call is a cluster's (8 pages); once it is gone a VMA's (1 of 8 known).
for type in " type=1" ""; do
	trace leaves "$HEADER vma_ra=1\n# device type=0 pages=100 flags=ssd\n# device type=1 pages=9 flags=rotational" <<-END
		SLOTS type=0 off=1 n=99
		LOOKUP type=0 off=10 addr=0x10000 $VMA
		SWAPOFF op=begin type=1
		SWAPOFF op=end ret=0$type
		LOOKUP type=0 off=40 addr=0x20000 $VMA
	END
	tap_is "$(calls leaves)" '[{"8":2},9,7,0]' "the last rotational device leaves${type:+, its end names it}"
done

# A killed swapoff leaves the device where it is: cluster 8, then no hits, last window 8 -> 4: slots 40-43.
trace stays "$HEADER vma_ra=1\n# device type=0 pages=100 flags=ssd\n# device type=1 pages=9 flags=rotational" <<-END
	SLOTS type=0 off=1 n=99
	LOOKUP type=0 off=10 addr=0x10000 $VMA
	SWAPOFF op=begin type=1
	SWAPOFF op=end ret=-4
	LOOKUP type=0 off=40 addr=0x20000 $VMA
END
tap_is "$(calls stays)" '[{"4":1,"8":1},12,0,0]' "a swapoff that was killed changes nothing"

# Shared slots of a synchronous device are not bypassed (docs/kernel-facts.md#bypass), also where only the snapshot tells that
# they are shared: window 8, slots 8-15. Slot 50 has one reference: bypassed, one page.
trace shared "$HEADER vma_ra=0\n# device type=0 pages=100 flags=sync_io,ssd" <<-END
	SLOTS type=0 off=1 n=40 count=2
	SLOTS type=0 off=41 n=59 count=1
	LOOKUP type=0 off=10 cause=fault
	LOOKUP type=0 off=50 cause=fault
END
tap_is "$(calls shared)" '[{"8":1},9,0,1]' "shared slots are told from the snapshot"

tap_end
