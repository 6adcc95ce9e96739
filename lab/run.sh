#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel in QEMU with a small initramfs, runs a workload (or any script) in it and brings
# the files out. Only what the guest's script writes to its standard output appears on stdout; all
# else goes to stderr.
set -u -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lab/archive.sh
. "$LAB/archive.sh"
# shellcheck source=lab/kernel.sh
. "$LAB/kernel.sh"
# shellcheck source=lab/initramfs.sh
. "$LAB/initramfs.sh"
# shellcheck source=lab/disk.sh
. "$LAB/disk.sh"
# shellcheck source=lab/snapshot.sh
. "$LAB/snapshot.sh"

EXIT_USAGE=2
EXIT_UNAVAILABLE=123
EXIT_TIMEOUT=124
EXIT_LAB=125

say() {
	echo "lab: $*" >&2
}

die() {
	local status=$1
	shift
	say "$*"
	exit "$status"
}

usage() {
	cat <<'END'
usage: lab/run.sh [options]

Boots a kernel in QEMU, runs one workload or script in the guest and copies /out of the guest to a folder here.
Each option can also be set by the variable named beside it.

  --workload NAME     run lab/workloads/NAME.sh                                  WORKLOAD
  --script FILE       run this shell script in the guest instead                 SCRIPT
  --list              print the names of the workloads and stop
  --kernel WHICH      6.12 (default), 5.10, 6.1, 6.16 to 6.19, 7.0 to 7.3: the   KERNEL
                      newest Debian cloud kernel of that series, in whichever
                      suite it is; or one release (6.18.5); lab: the one with
                      switches (make lab-kernel); or a bzImage, a .deb, or a
                      folder with boot/ and lib/modules/
  --arch NAME         architecture of the guest: amd64 (default), arm64 (kernels  ARCH
                      6.1 and later, and 6.12-16k with pages of 16 kB)
  --cpus N            CPUs of the guest (default 1)                              CPUS
  --mem MB            memory of the guest (default 300)                          MEM
  --swap SPEC         swap devices, joined by +, each TYPE[:MB[:PRIO]]           SWAP
                      TYPE: nvme (no seek time), virtio (says rotational), ssd
                      (virtio that says it is not), zram, brd; or the words
                      none, two (nvme + nvme);
                      MB is 512 (zram, brd: 192) unless given; default nvme,
                      or what the workload asks for
  --size S            small (10,000 to 20,000 swapped pages), tiny (half of it)  SIZE
                      or normal
  --recorder FILE     swaptrace, static unless --disk has libraries for it:      RECORDER
                      /bin/swaptrace in the guest
  --record-args ARGS  more options for swaptrace record                          RECORD_ARGS
  --record-from WHEN  swapon: before the devices are on; fill (default): before   RECORD_FROM
                      memory is filled; phase: right before the phase under test
  --policy SPEC       may be repeated: save the guest right before the phase under
                      test, and run the phase once with each policy from that
                      state; settings of the kernel as in swaptrace replay:
                      page-cluster=N, readahead=vma|cluster, and the switches of
                      the lab kernel; "recorded" for none. Files in OUT/1, OUT/2 ...
  --policy-at WHEN    phase (default), swapon: save it before the devices are on  POLICY_AT
  --thp WORD          transparent huge pages: never (default), madvise, always   THP
  --disk WHICH        one more disk, read-only, whose usr/ is the guest's /usr   DISK
                      and /lib: a file with an ext4 file system, or the word
                      bcc: made here of the shared libraries of swaptrace and
                      libbcc and the headers of the kernel
  --file HOST:GUEST   put one more file into the guest (may be repeated)
  --env NAME=VALUE    one more variable for the script (may be repeated)
  --out DIR           where the files go (default build/lab)                     OUT
  --timeout SEC       limit for the whole guest (default 60)                     TIMEOUT
  --append WORDS      more words for the kernel's command line                   APPEND
  --accel NAME        tcg (default) or kvm                                       ACCEL
  --icount N          the guest's clock counts instructions, 2^N ns each (0 to   ICOUNT
                      10): times that repeat, whatever else this machine does;
                      tcg and one CPU only
  --fetch             only fetch and unpack the kernel
  --check             only say whether a guest can be started here; no download

Files in --out: whatever the guest left in its /out, console.log, run.txt (how the guest was made), stdout and
stderr of the script. Kernels are kept below LAB_CACHE (default $XDG_CACHE_HOME/swaptrace-lab, else
~/.cache/swaptrace-lab).

Exit status: that of the guest's script; 2 wrong usage, 123 no QEMU, kernel or other tool to be had, 124 the
guest ran into the time limit, 125 the guest died or the lab failed.
END
}

set_defaults() {
	KERNEL=${KERNEL:-6.12}
	ARCH=${ARCH:-amd64}
	CPUS=${CPUS:-1}
	MEM=${MEM:-300}
	SWAP=${SWAP:-}
	SIZE=${SIZE:-normal}
	WORKLOAD=${WORKLOAD:-}
	SCRIPT=${SCRIPT:-}
	RECORDER=${RECORDER:-}
	RECORD_ARGS=${RECORD_ARGS:-}
	RECORD_FROM=${RECORD_FROM:-fill}
	THP=${THP:-never}
	OUT=${OUT:-}
	TIMEOUT=${TIMEOUT:-60}
	APPEND=${APPEND:-}
	DISK=${DISK:-}
	ACCEL=${ACCEL:-tcg}
	ICOUNT=${ICOUNT:-}
	LAB_CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/swaptrace-lab}
	POLICY_AT=${POLICY_AT:-}
	ACTION=run
	POLICIES=()
	EXTRA_FILES=()
	EXTRA_ENV=()
}

# option_variable --NAME: the variable that a plain option with a value sets.
option_variable() {
	case $1 in
	--workload | --script | --kernel | --arch | --cpus | --mem | --swap | --size | --recorder | \
		--record-args | --record-from | --policy-at | --thp | --disk | --out | --timeout | --append | --accel | --icount)
		local name=${1#--}
		name=${name//-/_}
		echo "${name^^}"
		;;
	*) return 1 ;;
	esac
}

parse_options() {
	local option variable
	while [ $# -gt 0 ]; do
		option=$1
		shift
		case $option in
		--help | -h) usage && exit 0 ;;
		--list) list_workloads && exit 0 ;;
		--fetch) ACTION=fetch && continue ;;
		--check) ACTION=check && continue ;;
		--*=*)
			set -- "${option%%=*}" "${option#*=}" "$@"
			continue
			;;
		esac
		[ $# -gt 0 ] || die $EXIT_USAGE "$option: unknown option, or its value is missing (see --help)"
		case $option in
		--file) EXTRA_FILES+=("$1") ;;
		--policy) POLICIES+=("$1") ;;
		--env) EXTRA_ENV+=("$1") ;;
		*)
			variable=$(option_variable "$option") || die $EXIT_USAGE "$option: unknown option (see --help)"
			printf -v "$variable" '%s' "$1"
			;;
		esac
		shift
	done
}

list_workloads() {
	local file
	for file in "$LAB"/workloads/*.sh; do
		printf '%-16s %s\n' "$(basename "$file" .sh)" "$(sed -n 's/^# about: //p' "$file")"
	done
}

want_number() {
	case $2 in
	'' | *[!0-9]* | 0*) die $EXIT_USAGE "$1 $2: not a whole number above 0" ;;
	esac
	if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		die $EXIT_USAGE "$1 $2: must be $3 to $4"
	fi
}

want_word() {
	local option=$1 value=$2 word
	shift 2
	for word; do
		[ "$value" = "$word" ] && return 0
	done
	die $EXIT_USAGE "$option $value: must be one of $*"
}

# A workload says what it needs in lines "# needs: NAME=VALUE", which fill in what the caller left
# open.
workload_default() {
	sed -n "s/^# needs: $1=//p" "$SCRIPT" | head -n 1
}

check_icount() {
	[ -n "$ICOUNT" ] || return 0
	want_word --icount "$ICOUNT" 0 1 2 3 4 5 6 7 8 9 10
	[ "$ACCEL $CPUS" = "tcg 1" ] || die $EXIT_USAGE "--icount counts instructions of one emulated CPU: --accel tcg --cpus 1"
}

check_options() {
	want_number --cpus "$CPUS" 1 64
	want_number --mem "$MEM" 128 65536
	want_number --timeout "$TIMEOUT" 1 86400
	want_word --accel "$ACCEL" tcg kvm
	want_word --thp "$THP" never madvise always
	want_word --size "$SIZE" tiny small normal
	want_word --record-from "$RECORD_FROM" swapon fill phase
	[ -z "$RECORDER" ] || [ -f "$RECORDER" ] || die $EXIT_USAGE "--recorder $RECORDER: no such file"
	if [ -n "$WORKLOAD" ]; then
		[ -z "$SCRIPT" ] || die $EXIT_USAGE "--workload and --script exclude each other"
		SCRIPT=$LAB/workloads/$WORKLOAD.sh
		[ -f "$SCRIPT" ] || die $EXIT_USAGE "--workload $WORKLOAD: unknown; lab/run.sh --list names them"
	fi
	[ -n "$SCRIPT" ] || die $EXIT_USAGE "nothing to run: give --workload or --script (see --help)"
	[ -f "$SCRIPT" ] || die $EXIT_USAGE "--script $SCRIPT: no such file"
	[ -n "$SWAP" ] || SWAP=$(workload_default swap)
	[ -n "$SWAP" ] || SWAP=nvme
	[ -n "$RECORD_ARGS" ] || RECORD_ARGS=$(workload_default record-args)
	[ -n "$ICOUNT" ] || ICOUNT=$(workload_default icount)
	check_icount
	[ -n "$POLICY_AT" ] || POLICY_AT=$(workload_default policy-at)
	POLICY_AT=${POLICY_AT:-phase}
	want_word --policy-at "$POLICY_AT" phase swapon
	OUT=${OUT:-$LAB/../build/lab}
}

# choose_arch: what depends on the guest's architecture; sets QEMU, GUEST_CC, CONSOLE and MACHINE.
choose_arch() {
	case $ARCH in
	x86_64 | x86) ARCH=amd64 ;;
	aarch64) ARCH=arm64 ;;
	esac
	want_word --arch "$ARCH" amd64 arm64
	LAB_ARCH=$ARCH
	if [ "$ARCH" = arm64 ]; then
		QEMU=qemu-system-aarch64 GUEST_CC=aarch64-linux-gnu-gcc CONSOLE=ttyAMA0 MACHINE=(-M virt,gic-version=3)
	else
		QEMU=qemu-system-x86_64 GUEST_CC=${CC:-gcc} CONSOLE=ttyS0 MACHINE=()
	fi
	native_arch || [ "$ACCEL" != kvm ] || die $EXIT_USAGE "--accel kvm: only for guests of this machine's architecture"
}

# What is missing on this machine, one line a thing. Empty: a guest can be tried.
missing_tools() {
	local pair tools=("qemu-system-x86_64 qemu-system-x86" "gcc gcc")
	[ "$(uname -m)" = x86_64 ] || echo "the lab runs on x86_64, this is $(uname -m)"
	[ "$ARCH" = amd64 ] || tools=("qemu-system-aarch64 qemu-system-arm" "aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu")
	for pair in "${tools[@]}" "cpio cpio" "flock util-linux" "xz xz-utils" "dpkg-deb dpkg"; do
		command -v "${pair% *}" >/dev/null || echo "${pair% *} is not installed (package ${pair#* })"
	done
	[ "$ARCH" != amd64 ] || static_busybox >/dev/null || echo "no static busybox is installed (package busybox-static)"
}

check_tools() {
	local missing
	missing=$(missing_tools | head -n 1)
	[ -z "$missing" ] || die $EXIT_UNAVAILABLE "$missing"
}

# Turns --swap into SWAP_PLAN: lines "TYPE MB PRIO".
plan_swap() {
	local spec=$SWAP part type mb prio
	SWAP_PLAN=()
	case $spec in
	none) return 0 ;;
	two) spec=nvme+nvme ;;
	esac
	local IFS=+
	for part in $spec; do
		IFS=: read -r type mb prio <<<"$part"
		case $type in
		nvme | virtio | ssd) mb=${mb:-512} ;;
		zram | brd) mb=${mb:-192} ;;
		*) die $EXIT_USAGE "--swap $SWAP: '$type' is not one of nvme, virtio, ssd, zram, brd (or none, two)" ;;
		esac
		want_number "--swap $SWAP: size" "$mb" 1 1048576
		case ${prio:-0} in
		*[!0-9]*) die $EXIT_USAGE "--swap $SWAP: '$prio' is not a priority (0 to 32767)" ;;
		esac
		SWAP_PLAN+=("$type $mb ${prio:--1}")
	done
}

# make_image NAME MB FORMAT
make_image() {
	if [ "$3" = raw ]; then
		truncate -s "${2}M" "$WORK/$1"
	else
		qemu-img create -q -f "$3" "$WORK/$1" "${2}M"
	fi
}

# Disks of the guest: the output disk is an NVMe disk named by its serial number, because NVMe is
# built into Debian's cloud kernels and the order in which disks appear is not a promise. A guest
# that is to be saved has virtio disks only, with images that can hold snapshots.
make_disks() {
	local line type mb n=0 format=raw driver=nvme
	[ ${#POLICIES[@]} -eq 0 ] || format=qcow2 driver=virtio-blk-pci
	make_image out.img 1024 $format
	QEMU_DISKS=(-drive "file=$WORK/out.img,if=none,id=out,format=$format,cache=unsafe"
		-device "$driver,drive=out,serial=labout")
	[ -z "$DISK" ] || QEMU_DISKS+=(-device "$driver,drive=disk,serial=labdisk"
		-drive "file=$DISK_FILE,if=none,id=disk,format=raw,readonly=on")
	for line in ${SWAP_PLAN[@]+"${SWAP_PLAN[@]}"}; do
		read -r type mb _ <<<"$line"
		case $type in
		nvme) QEMU_DISKS+=(-device "nvme,drive=swap$n,serial=labswap$n") ;;
		virtio | ssd) QEMU_DISKS+=(-device "virtio-blk-pci,drive=swap$n,serial=labswap$n") ;;
		*)
			n=$((n + 1))
			continue
			;;
		esac
		make_image "swap$n.img" "$mb" $format
		QEMU_DISKS+=(-drive "file=$WORK/swap$n.img,if=none,id=swap$n,format=$format,cache=unsafe")
		n=$((n + 1))
	done
}

# start_qemu ARGS...: in the background, so that a signal ends the guest at once; sets GUEST_PID.
start_qemu() {
	local cpu=max icount=()
	[ "$ACCEL" = kvm ] && cpu=host
	[ -z "$ICOUNT" ] || icount=(-icount "shift=$ICOUNT,sleep=off")
	# rootfstype=ramfs: the initramfs would otherwise be a tmpfs, and the guest's own programs
	# and the trace would be swapped out with the workload. no_timer_check: on a busy machine the
	# emulated timer can miss the kernel's test of it, which then panics.
	timeout -k 5 "$TIMEOUT" "$QEMU" ${MACHINE[@]+"${MACHINE[@]}"} -accel "$ACCEL" ${icount[@]+"${icount[@]}"} \
		-cpu "$cpu" -smp "$CPUS" -m "$MEM" -display none -no-reboot -nodefaults -no-user-config -nic none "${QEMU_DISKS[@]}" \
		-kernel "$KERNEL_DIR/vmlinuz" -initrd "$WORK/initrd" \
		-append "console=$CONSOLE quiet panic=-1 oops=panic rootfstype=ramfs no_timer_check $APPEND" "$@" \
		</dev/null >"$WORK/qemu.log" 2>&1 &
	GUEST_PID=$!
}

wait_for_guest() {
	wait "$GUEST_PID"
	local status=$?
	GUEST_PID=
	return $status
}

boot_guest() {
	start_qemu -monitor none -serial "file:$OUT/console.log"
	wait_for_guest
}

interrupted() {
	[ -z "${GUEST_PID:-}" ] || kill "$GUEST_PID" 2>/dev/null
	say "interrupted"
	exit $((128 + $1))
}

describe_run() {
	echo "date: $(date -u +%F)"
	echo "kernel package: $(cat "$KERNEL_DIR/package")"
	[ "$ARCH" = amd64 ] || echo "architecture: $ARCH"
	echo "qemu: $("$QEMU" --version | head -n 1), accel $ACCEL"
	[ -z "$ICOUNT" ] || echo "clock: counts instructions, $((1 << ICOUNT)) ns each"
	echo "cpus: $CPUS"
	echo "memory: $MEM MB"
	echo "swap: $SWAP"
	echo "thp: $THP"
	echo "run: ${WORKLOAD:-${SCRIPT##*/}}, size $SIZE"
	[ -z "$RECORDER" ] || echo "recorder: from $RECORD_FROM${RECORD_ARGS:+, $RECORD_ARGS}"
	[ -z "$APPEND" ] || echo "append: $APPEND"
	[ -z "$DISK" ] || echo "disk: ${DISK##*/}"
	[ -z "${POLICY:-}" ] || echo "policy: $POLICY, from the state before the $POLICY_AT"
}

# The tail of the console and of QEMU's own words, for a run that failed.
show_console() {
	if [ -s "$WORK/qemu.log" ]; then
		say "QEMU said:"
		tail -n 10 "$WORK/qemu.log" >&2
	fi
	if [ -s "$OUT/console.log" ]; then
		say "the end of the guest's console ($OUT/console.log):"
		tail -n 40 "$OUT/console.log" | tr -d '\r' >&2
	else
		say "the guest's console is empty"
	fi
}

# Clears what an earlier run left in the folder, and nothing that a run did not put there.
prepare_out() {
	mkdir -p "$OUT" || die $EXIT_LAB "cannot make the folder $OUT"
	OUT=$(cd "$OUT" && pwd)
	if [ -f "$OUT/.files" ]; then
		(cd "$OUT" && xargs -r -d '\n' rm -f -- <.files)
	fi
	rm -f "$OUT/console.log" "$OUT/run.txt"
}

# Unpacks the guest's /out. Fails when the archive is not complete: the guest did not get that far.
collect_files() {
	mkdir "$WORK/out"
	local image=$WORK/out.img
	if [ ${#POLICIES[@]} -gt 0 ]; then
		image=$WORK/out.raw
		qemu-img convert -O raw "$WORK/out.img" "$image" || return 1
	fi
	tar -xf "$image" -C "$WORK/out" --no-same-owner 2>"$WORK/tar.log" || return 1
	[ -f "$WORK/out/.lab-status" ] || return 1
	GUEST_STATUS=$(cat "$WORK/out/.lab-status")
	rm -f "$WORK/out/.lab-status"
	(cd "$WORK/out" && find . -type f | sed 's|^\./||' | sort) >"$OUT/.files" &&
		cp -R "$WORK/out/." "$OUT/"
}

# Why a guest that brought nothing out ended.
explain_death() {
	if grep -q 'Kernel panic' "$OUT/console.log" 2>/dev/null; then
		say "the guest's kernel panicked: $(grep -m 1 'Kernel panic' "$OUT/console.log" | tr -d '\r')"
	elif grep -q '^LAB-STATUS' "$OUT/console.log" 2>/dev/null; then
		say "the guest finished, but its files could not be read ($(head -n 1 "$WORK/tar.log"))"
	elif [ "$1" -ne 0 ]; then
		say "QEMU ended with status $1"
	else
		say "the guest ended before its script did"
	fi
}

# run_guest COMMAND: the guest by COMMAND, which returns QEMU's status; then its files.
run_guest() {
	local qemu_status=0 begin=$SECONDS
	"$1" || qemu_status=$?
	describe_run >"$OUT/run.txt"
	if [ $qemu_status -eq 124 ] || [ $qemu_status -eq 137 ]; then
		show_console
		die $EXIT_TIMEOUT "the guest did not finish in $TIMEOUT s"
	fi
	if ! collect_files; then
		show_console
		explain_death $qemu_status
		exit $EXIT_LAB
	fi
	[ ! -f "$OUT/guest.txt" ] || cat "$OUT/guest.txt" >>"$OUT/run.txt"
	[ ! -f "$OUT/stdout" ] || cat "$OUT/stdout"
	if [ "$GUEST_STATUS" != 0 ]; then
		show_console
		say "${WORKLOAD:-$SCRIPT} ended with status $GUEST_STATUS in the guest"
		exit "$GUEST_STATUS"
	fi
	say "${WORKLOAD:-${SCRIPT##*/}}${POLICY:+ ($POLICY)} on $(sed -n 's/^release: //p' "$OUT/run.txt"), $CPUS cpu:" \
		"$((SECONDS - begin)) s; files in $OUT"
}

main() {
	set_defaults
	parse_options "$@"
	choose_arch
	check_tools
	[ "$ACTION" != check ] || exit 0
	mkdir -p "$LAB_CACHE" ||
		die $EXIT_LAB "cannot make the cache folder $LAB_CACHE (set LAB_CACHE to another one)"
	[ "$ACTION" = fetch ] || check_options
	prepare_kernel "$KERNEL" || die $EXIT_UNAVAILABLE "kernel $KERNEL can't be had, see above"
	[ -z "$DISK" ] || prepare_disk "$DISK" || die $EXIT_UNAVAILABLE "disk $DISK can't be had, see above"
	[ "$ACTION" != fetch ] || exit 0
	plan_swap
	[ ${#POLICIES[@]} -eq 0 ] || check_snapshot_options
	prepare_out
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-lab.XXXXXX") || die $EXIT_LAB "cannot make a folder for the disks"
	trap 'rm -rf "$WORK"' EXIT
	trap 'interrupted 2' INT
	trap 'interrupted 15' TERM
	make_initramfs || die $EXIT_LAB "the initramfs could not be made"
	make_disks || die $EXIT_LAB "the disks' images could not be made"
	if [ ${#POLICIES[@]} -gt 0 ]; then
		run_policies
	else
		run_guest boot_guest
	fi
}

main "$@"
