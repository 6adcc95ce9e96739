# SPDX-License-Identifier: GPL-2.0
# about: two devices of equal priority: half comes back by faults, the rest by swapoff
# needs: swap=nvme:256:5+nvme:256:5
. /lab/lib.sh
lab_begin
lab_workload fault --pattern mixed --share 50 --procs 3 --mb "$(lab_size 14 28)"
lab_phase_begin
lab_fault
lab_swapoff
lab_phase_end
lab_end
