# SPDX-License-Identifier: GPL-2.0
# about: 64 kB folios on a small zram: page-out, faults of single pages (--env SHARE=PERCENT), folios made again, noise
# needs: swap=zram:64
# needs: record-args=--events=ra,alloc
. /lab/lib.sh
sizes=/sys/kernel/mm/transparent_hugepage
[ ! -e $sizes/hugepages-64kB ] || echo madvise >$sizes/hugepages-64kB/enabled
# Without sizes of its own (before 6.8) the kernel knows large folios of 2 MB alone.
[ -e $sizes/hugepages-64kB ] || echo madvise >$sizes/enabled
lab_begin
lab_workload mthp --mb 47 --iterations "$(lab_size 2 20)" --share "${SHARE:-100}"
lab_phase_begin
lab_fault
lab_phase_end
cat $sizes/hugepages-*/stats/swpout* >/dev/null 2>&1 && grep . $sizes/hugepages-*/stats/swpout* | sed 's|.*/hugepages-||' >/out/mthp.txt
lab_end
