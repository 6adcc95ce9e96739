# SPDX-License-Identifier: GPL-2.0
# Puts the files that a program names by #include "..." in the place of these lines, each once, so
# that one text can be compiled where there are no files. Files in <> stay: they are the target's.
# usage: awk -f flatten.awk bpf/swaptrace.bpf.c
function folder(path) {
	return path ~ /\// ? substr(path, 1, match(path, /[^\/]*$/) - 1) : ""
}

function plain(path) {
	while (match(path, /[^\/]+\/\.\.\//))
		path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
	return path
}

function put(path,    line, name) {
	if (path in done)
		return
	done[path] = 1
	while ((getline line < path) > 0) {
		if (line !~ /^#include "/) {
			print line
			continue
		}
		name = line
		sub(/^#include "/, "", name)
		sub(/".*/, "", name)
		if (name != "core.bpf.h")
			put(plain(folder(path) name))
	}
	close(path)
}

BEGIN {
	put(ARGV[1])
}
