#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a text of a few hundred bytes may cost is bounded by its bytes, not by the sizes that it claims.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1

# text NAME PAGES EVENT...: one device and one event.
text() {
	local name=$1 pages=$2
	shift 2
	printf '# swaptrace text 1\n# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0\n' >"$name"
	printf '# device type=0 pages=%s prio=-2 flags=ssd name=/dev/a\n1 0 1 a %s\n' "$pages" "$*" >>"$name"
}

# cheap DESCRIPTION COMMAND...: within 2 GB of address space (most of it never touched) and 10 s.
cheap() {
	local what=$1
	shift
	run bash -c 'ulimit -v 2000000; exec timeout 10 "$@"' - "$SWAPTRACE" "$@"
	[ "$STATUS" -le 3 ] && ! grep -q 'out of memory' "$ERR"
	tap_ok $? "$what" || { echo "status $STATUS"; cat "$ERR"; } | tap_comment
}

tap_plan 9
text alloc 268435456 ALLOC order=9 type=0 off=1 n=268435455 folio=0x1
text aligned 268435456 ALLOC order=9 type=0 off=512 n=512 folio=0x1
text unref 268435456 UNREF type=0 off=1 n=268435454 how=zap
text far 4294967296 UNREF type=0 off=1 n=4294967295 how=zap
text lookup 2147483650 LOOKUP type=0 off=2147483640 cause=fault hit=0
echo 'type=4 pages=342967296' >devices
cheap "an ALLOC that claims 2^28 slots" replay alloc
tap_grep '1 events name slots outside' "$OUT" "is not believed, and that is said"
cheap "an ALLOC on a device of a terabyte" replay aligned
cheap "an UNREF of 2^28 slots" replay unref
cheap "an UNREF of 2^32 slots" replay far
cheap "a need of slot 2^31" replay lookup
cheap "a device of a terabyte in a policy" replay --policy devices=devices aligned
cheap "a report of one" report aligned
# Many such lines: as much work as there are lines.
{
	head -n 3 unref
	seq 20000 | sed 's/.*/& 0 1 a UNREF type=0 off=1 n=268435454 how=zap/'
} >many
cheap "20,000 of them" replay many
tap_end
