# SPDX-License-Identifier: GPL-2.0
# about: pages that three processes share by fork: faults by each in turn, then swapoff
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload fork --pattern seq --share 50 --procs 3 --mb "$(lab_size 60 120)"
lab_phase_begin
lab_fault
lab_swapoff
lab_phase_end
lab_end
