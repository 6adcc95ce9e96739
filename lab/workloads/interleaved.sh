# SPDX-License-Identifier: GPL-2.0
# about: swapoff where six processes filled memory in turns of four pages; --swap virtio: cluster readahead
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload t1 --procs 6 --fill interleave --turn 4 --mb "$(lab_size 9 18)"
lab_phase_begin
lab_swapoff
lab_phase_end
lab_end
