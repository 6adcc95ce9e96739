# SPDX-License-Identifier: GPL-2.0
# about: faults in random order, VMA readahead; --swap virtio: cluster readahead
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload fault --pattern random --procs 3 --mb "$(lab_size 14 18)"
lab_phase_begin
lab_fault
lab_phase_end
lab_end
