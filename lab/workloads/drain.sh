# SPDX-License-Identifier: GPL-2.0
# about: lab kernel: truncations under both rules of drains in turns: their times, then a recording of each
# needs: swap=none
# needs: record-args=--events=lru
# needs: icount=0
. /lab/lib.sh
switch=/sys/module/swaptrace/parameters/drain
[ -w $switch ] || lab_die "this kernel has no switch for drains: build the lab kernel (make lab-kernel), run with --kernel lab"

# truncate_under RULE FILES [TIMES]
truncate_under() {
	echo "$1" >$switch || lab_die "drain=$1 was refused"
	workload truncate --files "$2" --min-pages 64 --pages 64 --dir /run ${3:+--times "$3"} || lab_die "the workload failed"
}

for rule in always once; do
	{
		echo "# unit=ns emulated=1 release=$(uname -r) drain=$rule"
		echo "# Single truncations of sparse files of 64 pages, in turns of 250 with those under the other rule, not recorded."
		echo "# The guest's clock counts instructions of an emulated CPU, 1 ns each: no times of hardware."
	} >/out/lab-drain-$rule.times
done
for round in 1 2 3 4; do
	for rule in always once; do
		truncate_under $rule 250 /run/times
		cat /run/times >>/out/lab-drain-$rule.times
	done
done
for rule in always once; do
	LAB_NAME=lab-drain-$rule
	echo $rule >$switch
	lab_record
	truncate_under $rule "$(lab_size 250 2500)"
	lab_record_stop
done
