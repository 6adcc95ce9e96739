#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The lab itself: what goes in comes out, and a guest that fails is heard.
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# Bytes that the guest has to bring out unharmed: more than a pipe, a page cache or a tar block
# hides.
BIG_MB=24

write_scripts() {
	cat >"$GUEST_WORK/files.sh" <<END
. /lab/lib.sh
lab_swapon
echo "to stdout"
echo "to stderr" >&2
mkdir /out/folder
i=0
while [ \$i -lt $BIG_MB ]; do cat /lab/in; i=\$((i + 1)); done >/out/folder/big
cp /proc/swaps /out/swaps
echo "\$ANSWER" >/out/answer
exit 42
END
	echo 'echo c >/proc/sysrq-trigger' >"$GUEST_WORK/panic.sh"
	echo 'sleep 600' >"$GUEST_WORK/sleep.sh"
	cat >"$GUEST_WORK/state.sh" <<'END'
. /lab/lib.sh
head -c 16 /dev/urandom | od -An -tx1 >/out/random
lab_policy
cp /proc/sys/vm/page-cluster /out/page-cluster
END
	head -c 1048576 /dev/urandom >"$GUEST_WORK/in"
	for _ in $(seq $BIG_MB); do cat "$GUEST_WORK/in"; done | sha256sum >"$GUEST_WORK/sum"
}

# status_of NAME OPTIONS...: a guest that is expected to fail.
status_of() {
	local name=$1 status=0
	shift
	GUEST_DIR=$GUEST_WORK/$name
	"$GUEST_TOP/lab/run.sh" --out "$GUEST_DIR" "$@" >"$GUEST_WORK/$name.stdout" \
		2>"$GUEST_WORK/$name.stderr" || status=$?
	echo $status
}

guest_or_skip 6.12
write_scripts
tap_plan 17

status=$(status_of files --timeout "${GUEST_TIMEOUT:-120}" --script "$GUEST_WORK/files.sh" \
	--file "$GUEST_WORK/in:/lab/in" --env "ANSWER=it's 'so'" --swap "virtio:64+nvme:32:7")
GUEST_DIR=$GUEST_WORK/files
tap_is "$status" 42 "the script's status comes back exactly" || tap_show "$GUEST_WORK/files.stderr"
tap_is "$(cat "$GUEST_WORK/files.stdout")" "to stdout" "standard output carries the script's output alone"
grep -q '^to stderr' "$GUEST_DIR/stderr"
tap_ok $? "its standard error is kept"
tap_is "$(sha256sum <"$GUEST_DIR/folder/big")" "$(cat "$GUEST_WORK/sum")" "$BIG_MB MB come out unharmed"
tap_is "$(cat "$GUEST_DIR/answer")" "it's 'so'" "--env passes quotes"
# A device holds its size less the page of the header, in kB: 64 * 1024 - 4 and 32 * 1024 - 4.
tap_is "$(sed -n '2,$p' "$GUEST_DIR/swaps" | awk '{ print $3, $5 }' | sort | tr '\n' ';')" \
	"32764 7;65532 -2;" "swap devices have the sizes and priorities asked for"

status=$(status_of panic --timeout "${GUEST_TIMEOUT:-120}" --script "$GUEST_WORK/panic.sh" --swap none)
tap_is "$status" 125 "a guest that panics is a failure of the lab"
grep -q 'kernel panicked' "$GUEST_WORK/panic.stderr" && grep -q 'sysrq' "$GUEST_WORK/panic.stderr"
tap_ok $? "and the console's end is shown" || tap_show "$GUEST_WORK/panic.stderr"

status=$(status_of state --timeout "${GUEST_TIMEOUT:-120}" --script "$GUEST_WORK/state.sh" --swap none \
	--policy recorded --policy page-cluster=5 --policy readahead=sometimes)
state=$GUEST_WORK/state
tap_is "$status" 1 "a policy that the kernel does not know fails" || tap_show "$GUEST_WORK/state.stderr"
grep -q 'no switch for readahead=sometimes' "$state/3/stderr"
tap_ok $? "and the guest says which"
tap_is "$(cat "$state/1/page-cluster" "$state/2/page-cluster" | tr '\n' ' ')" "3 5 " "each policy is set"
tap_same "$state/1/random" "$state/2/random" "all policies go on from one state"
tap_is "$(status_of unsaved --workload t1-cluster --swap nvme --policy recorded)" 2 \
	"disks that QEMU cannot save are wrong usage"

tap_is "$(status_of sleep --timeout 8 --script "$GUEST_WORK/sleep.sh" --swap none)" 124 "the time limit holds"
tap_is "$(status_of none --workload nosuch)" 2 "an unknown workload is wrong usage"
PATH_OF_NOTHING=$GUEST_WORK/empty
mkdir "$PATH_OF_NOTHING"
for tool in bash cat dirname env sed grep head tail mktemp rm ldd uname; do
	ln -s "$(command -v $tool)" "$PATH_OF_NOTHING/$tool"
done
tap_is "$(PATH=$PATH_OF_NOTHING status_of noqemu --workload t1-cluster)" 123 \
	"no QEMU: unavailable, not failed"
tap_is "$(cat "$GUEST_WORK/noqemu.stderr")" \
	"lab: qemu-system-x86_64 is not installed (package qemu-system-x86)" "and the reason names the package"
tap_end
