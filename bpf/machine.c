// SPDX-License-Identifier: GPL-2.0
#include "bpf/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/kconfig.h"

static FILE *open_below(const char *root, const char *path)
{
	char name[512];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "r");
}

static bool read_word(const char *root, const char *path, char *out, size_t size)
{
	FILE *f = open_below(root, path);
	bool ok;

	if (!f)
		return false;
	ok = fgets(out, (int)size, f) != NULL;
	fclose(f);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok && *out;
}

/* The word in brackets of "always [madvise] never". */
static bool bracketed(char *line)
{
	char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return false;
	*close = '\0';
	memmove(line, open + 1, strlen(open + 1) + 1);
	return true;
}

void machine_release(const char *root, char *out, size_t size)
{
	struct utsname u;

	if (read_word(root, "/proc/sys/kernel/osrelease", out, size))
		return;
	snprintf(out, size, "%s", uname(&u) ? "unknown" : u.release);
}

int machine_preempts(const char *root)
{
	char line[128], *word, *end;

	if (!read_word(root, "/sys/kernel/debug/sched/preempt", line, sizeof(line)))
		return -1;
	word = strchr(line, '(');
	end = word ? strchr(word, ')') : NULL;
	if (!end)
		return -1;
	*end = '\0';
	return !strcmp(word, "(full") || !strcmp(word, "(lazy");
}

bool machine_config_path(const char *root, char *out, size_t size)
{
	char release[128];

	machine_release(root, release, sizeof(release));
	snprintf(out, size, "%s/boot/config-%s", root, release);
	if (!access(out, R_OK))
		return true;
	/* Debian's place for it from 7.2 on. */
	snprintf(out, size, "%s/lib/modules/%s/config", root, release);
	if (!access(out, R_OK))
		return true;
	snprintf(out, size, "%s/proc/config.gz", root);
	return !access(out, R_OK);
}

static int set_facts_of_uname(struct trace_header *h, const char *root)
{
	const uint16_t one = 1;
	char release[128];
	struct utsname u;
	int err;

	machine_release(root, release, sizeof(release));
	err = trace_header_set(h, "release", release);
	if (!err && !uname(&u)) {
		err = trace_header_set(h, "version", u.version);
		if (!err)
			err = trace_header_set(h, "arch", u.machine);
	}
	if (!err)
		err = trace_header_set(h, "byte_order", *(const uint8_t *)&one ? "little" : "big");
	if (!err)
		err = trace_header_set_u64(h, "page_size", (uint64_t)sysconf(_SC_PAGESIZE));
	return err;
}

static int set_sysctls(struct trace_header *h, const char *root)
{
	char word[64];
	int err = 0;

	if (read_word(root, "/proc/sys/vm/page-cluster", word, sizeof(word)))
		err = trace_header_set(h, "page_cluster", word);
	if (!err && read_word(root, "/sys/kernel/mm/swap/vma_ra_enabled", word, sizeof(word)))
		err = trace_header_set(h, "vma_ra",
				       !strcmp(word, "true") || !strcmp(word, "1") ? "1" : "0");
	if (!err &&
	    read_word(root, "/sys/kernel/mm/transparent_hugepage/enabled", word, sizeof(word)) &&
	    bracketed(word))
		err = trace_header_set(h, "thp_enabled", word);
	return err;
}

/* The lab kernel can do what other kernels do (lab/README.md); what it did is no news of its
 * release. */
static int set_switches(struct trace_header *h, const char *root)
{
	static const char *const switches[][3] = {
		{ "swapoff", "swapoff", "lookup-first" },
		{ "drain", "pagevec_drain", "once" },
		{ "allocator", "allocator", "cluster-6.12" },
	};
	char path[128], word[64];
	int err = 0;

	for (unsigned int i = 0; !err && i < sizeof(switches) / sizeof(switches[0]); i++) {
		snprintf(path, sizeof(path), "/sys/module/swaptrace/parameters/%s", switches[i][0]);
		if (read_word(root, path, word, sizeof(word)) && strcmp(word, switches[i][2]))
			err = trace_header_set(h, switches[i][1], word);
	}
	return err;
}

/* hugepages-SIZEkB/enabled, one fact per size. */
static int set_thp_sizes(struct trace_header *h, const char *root)
{
	char path[512], name[32], word[64];
	struct dirent *d;
	unsigned int size;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/kernel/mm/transparent_hugepage", root);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!err && (d = readdir(dir))) {
		if (sscanf(d->d_name, "hugepages-%ukB", &size) != 1)
			continue;
		snprintf(path, sizeof(path),
			 "/sys/kernel/mm/transparent_hugepage/hugepages-%ukB/enabled", size);
		if (!read_word(root, path, word, sizeof(word)) || !bracketed(word))
			continue;
		snprintf(name, sizeof(name), "thp_%ukB", size);
		err = trace_header_set(h, name, word);
	}
	closedir(dir);
	return err;
}

static size_t append_counter(char *line, size_t len, size_t size, const char *root, unsigned int kb,
			     const char *counter)
{
	char path[512], word[32];

	snprintf(path, sizeof(path), "/sys/kernel/mm/transparent_hugepage/hugepages-%ukB/stats/%s",
		 kb, counter);
	if (len < size && read_word(root, path, word, sizeof(word)))
		len += (size_t)snprintf(line + len, size - len, " thp_%ukB_%s=%s", kb, counter,
					word);
	return len;
}

int machine_thp_counters(struct trace_header *h, const char *root, const char *when)
{
	char line[2048];
	size_t begin = (size_t)snprintf(line, sizeof(line), "note counters=%s", when);
	size_t len = begin;

	/* From one page to the largest folio that an architecture has (16 GB). */
	for (unsigned int kb = 4; kb <= 16u << 20; kb *= 2) {
		len = append_counter(line, len, sizeof(line), root, kb, "swpout");
		len = append_counter(line, len, sizeof(line), root, kb, "swpout_fallback");
	}
	return len == begin || len >= sizeof(line) ? 0 : trace_header_add_line(h, line, NULL);
}

int machine_swap_counters(struct trace_header *h, const char *root, const char *when)
{
	static const char *const names[] = { "pswpin",	    "pswpout",	  "swap_ra",
					     "swap_ra_hit", "swpin_zero", "swpout_zero" };
	char line[512], text[128], name[64];
	size_t len = (size_t)snprintf(line, sizeof(line), "note vmstat=%s", when), begin = len;
	unsigned long long value;
	FILE *f = open_below(root, "/proc/vmstat");

	if (!f)
		return 0;
	while (fgets(text, sizeof(text), f)) {
		if (sscanf(text, "%63s %llu", name, &value) != 2)
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(name, names[i]) && len < sizeof(line))
				len += (size_t)snprintf(line + len, sizeof(line) - len, " %s=%llu",
							name, value);
	}
	fclose(f);
	return len == begin || len >= sizeof(line) ? 0 : trace_header_add_line(h, line, NULL);
}

/*
 * CONFIG_THP_SWAP makes an allocator cluster as large as a PMD page (a page of 8-byte entries);
 * without it clusters have 256 slots. Unknown without a readable configuration.
 */
static int set_config_facts(struct trace_header *h, const char *root)
{
	struct kernel_config c;
	char path[512];
	int err;

	if (!machine_config_path(root, path, sizeof(path)) || !kernel_config_read(path, &c) ||
	    !c.swap)
		return 0;
	err = trace_header_set_u64(h, "thp_swap", c.thp_swap);
	if (!err)
		err = trace_header_set_u64(h, "cluster_slots",
					   c.thp_swap ? (uint64_t)sysconf(_SC_PAGESIZE) / 8 : 256);
	return err;
}

int machine_facts(struct trace_header *h, const char *root, struct error *e)
{
	int err = set_facts_of_uname(h, root);

	if (!err)
		err = set_sysctls(h, root);
	if (!err)
		err = set_thp_sizes(h, root);
	if (!err)
		err = set_switches(h, root);
	if (!err)
		err = set_config_facts(h, root);
	return err ? error_set(e, err, "out of memory for the trace's header") : 0;
}

/* /proc/swaps writes blanks and the like in names as \ooo. */
static void unescape_octal(char *s)
{
	char *to = s;

	while (*s) {
		unsigned int code;

		if (*s == '\\' && sscanf(s + 1, "%3o", &code) == 1) {
			*to++ = (char)code;
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

bool machine_swap_name(const char *root, unsigned int index, char *out, size_t size)
{
	FILE *f = open_below(root, "/proc/swaps");
	char line[1024];
	bool ok = false;

	if (!f)
		return false;
	for (unsigned int i = 0; !ok && fgets(line, sizeof(line), f); i++) {
		if (i != index + 1)
			continue;
		line[strcspn(line, " \t\n")] = '\0';
		unescape_octal(line);
		snprintf(out, size, "%s", line);
		ok = true;
	}
	fclose(f);
	return ok;
}

/* The last number of NSpid is the process's own in its innermost namespace. */
static bool has_ns_pid(const char *root, unsigned int host, unsigned int pid)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", host);
	f = open_below(root, path);
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		char *p = line + 6, *end;
		unsigned long n;

		if (strncmp(line, "NSpid:", 6))
			continue;
		while ((n = strtoul(p, &end, 10)), end != p) {
			if (end - p && n == pid)
				found = true;
			p = end;
		}
	}
	fclose(f);
	return found;
}

unsigned int machine_host_tgid(const char *root, unsigned int pid, unsigned int *count)
{
	char path[512];
	unsigned int host, found = 0;
	struct dirent *d;
	DIR *dir;

	*count = 0;
	snprintf(path, sizeof(path), "%s/proc/%u/status", root, pid);
	if (!access(path, F_OK)) {
		*count = 1;
		return pid;
	}
	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((d = readdir(dir))) {
		if (sscanf(d->d_name, "%u", &host) != 1 || !has_ns_pid(root, host, pid))
			continue;
		found = host;
		++*count;
	}
	closedir(dir);
	return found;
}

static unsigned int depth_of(const char *path)
{
	unsigned int depth = 0;

	for (const char *p = path; *p;) {
		p += strspn(p, "/");
		depth += *p != '\0';
		p += strcspn(p, "/");
	}
	return depth;
}

int machine_cgroup(const char *path, uint64_t *id, unsigned int *level, struct error *e)
{
	static const char mount[] = "/sys/fs/cgroup";
	char full[1024];
	struct stat st;

	if (!strncmp(path, mount, sizeof(mount) - 1))
		snprintf(full, sizeof(full), "%s", path);
	else
		snprintf(full, sizeof(full), "%s/%s", mount, path);
	if (stat(full, &st))
		return error_errno(e, -errno, "%s: no such cgroup (a path below %s is expected)",
				   full, mount);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, -ENOTDIR, "%s: is not a cgroup", full);
	/* On cgroup2 the inode number is the cgroup's id. */
	*id = st.st_ino;
	*level = depth_of(full + sizeof(mount) - 1);
	return 0;
}
