# SPDX-License-Identifier: GPL-2.0
# about: faults in order, VMA readahead; --swap virtio: cluster readahead
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload fault --pattern seq --procs 3 --mb "$(lab_size 20 40)"
lab_phase_begin
lab_fault
lab_phase_end
lab_end
