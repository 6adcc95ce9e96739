# SPDX-License-Identifier: GPL-2.0
# about: swapoff of a fragmented swap: half comes back at random, is written and goes out again; --swap virtio: cluster
# needs: swap=nvme
. /lab/lib.sh
lab_begin
lab_workload fault --pattern random --share 50 --write --procs 3 --mb "$(lab_size 16 32)"
lab_fault
workload hog --hog-rounds 2 || lab_die "the hog failed"
lab_phase_begin
lab_swapoff
lab_phase_end
lab_end
