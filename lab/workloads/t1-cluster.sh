# SPDX-License-Identifier: GPL-2.0
# about: swapoff with cluster readahead on a rotational disk: thread T1 in miniature
# needs: swap=virtio
. /lab/lib.sh
lab_begin
lab_expect_rotational 1
lab_workload t1 --procs 3 --mb "$(lab_size 20 40)"
lab_phase_begin
lab_swapoff
lab_phase_end
lab_end
