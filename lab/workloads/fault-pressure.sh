# SPDX-License-Identifier: GPL-2.0
# about: three processes fault at the same time in less memory than they need (--mem 180): pages go out meanwhile
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload fault --pattern mixed --together --procs 3 --mb "$(lab_size 44 60)"
lab_phase_begin
lab_fault
lab_phase_end
lab_end
