#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Symbols and BTF of kernels, reduced to what the hook plan reads, for tests without those kernels: boots each, takes
# /proc/kallsyms and its BTF, and writes SERIES.kallsyms and SERIES.btf. Half a minute for each kernel.
#
# usage: lab/kernel-data.sh [SERIES...]    default: all that tests/data/kernels has
# Variables: OUT, the folder that is written (default tests/data/kernels); O, the folder of the build (default build).
set -u -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
O=${O:-$TOP/build}
OUT=${OUT:-$TOP/tests/data/kernels}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-kernels.XXXXXX") || exit 125
trap 'rm -rf "$WORK"' EXIT

cat >"$WORK/take.sh" <<'END_OF_SCRIPT'
cat /proc/kallsyms >/out/kallsyms && cat /sys/kernel/btf/vmlinux >/out/btf
END_OF_SCRIPT

if [ $# -eq 0 ]; then
	mapfile -t series < <(cd "$OUT" && printf '%s\n' *.btf | sed 's/\.btf$//' | sort -V)
	set -- "${series[@]}"
fi
make -C "$TOP" --no-print-directory O="$O" "$O/lab/reduce" >&2 || exit 125
for kernel; do
	"$TOP/lab/run.sh" --kernel "$kernel" --script "$WORK/take.sh" --swap none --timeout 120 --out "$WORK/$kernel" &&
		"$O/lab/reduce" "$WORK/$kernel/kallsyms" "$WORK/$kernel/btf" "$OUT/$kernel" || exit
done
