# SPDX-License-Identifier: GPL-2.0
# about: zram, whose faults bypass the swap cache: half by faults, the rest by swapoff
# needs: swap=zram
. /lab/lib.sh
lab_begin
lab_workload fault --pattern seq --share 50 --procs 3 --mb "$(lab_size 24 40)" --kept 58
lab_phase_begin
lab_fault
lab_swapoff
lab_phase_end
lab_end
