# SPDX-License-Identifier: GPL-2.0
# about: shared memory (shmem): half of the pages come back by faults, the rest by swapoff
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload shmem --pattern seq --share 50 --procs 3 --mb "$(lab_size 20 40)"
lab_phase_begin
lab_fault
lab_swapoff
lab_phase_end
lab_end
