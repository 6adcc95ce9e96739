# SPDX-License-Identifier: GPL-2.0
# about: swapoff with VMA readahead: the same load on a disk without seek time
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_expect_rotational 0
lab_expect vma_ra_enabled true /sys/kernel/mm/swap/vma_ra_enabled
lab_workload t1 --procs 3 --mb "$(lab_size 20 40)"
lab_phase_begin
lab_swapoff
lab_phase_end
lab_end
