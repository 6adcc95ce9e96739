// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bpf/kconfig.h"
#include "bpf/machine.h"

static bool read_text(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fgets(out, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok;
}

static bool read_below(const struct doctor_facts *f, const char *path, char *out, size_t size)
{
	char name[1024];

	snprintf(name, sizeof(name), "%s%s", f->root, path);
	return read_text(name, out, size);
}

static FILE *open_below(const char *root, const char *path, char *name, size_t size,
			struct error *e)
{
	FILE *in;

	snprintf(name, size, "%s%s", root, path);
	in = fopen(name, "r");
	if (!in)
		error_errno(e, -errno, "%s: cannot be opened", name);
	return in;
}

int doctor_counters_now(struct doctor_counters *c, const char *root, struct error *e)
{
	char name[1024];
	FILE *in = open_below(root, "/proc/vmstat", name, sizeof(name), e);
	int ret;

	if (!in)
		return e->code;
	ret = doctor_counters_read(c, in, name, e);
	fclose(in);
	return ret;
}

int doctor_swaps_now(struct doctor_swaps *s, const char *root, bool *there, struct error *e)
{
	char name[1024];
	FILE *in = open_below(root, "/proc/swaps", name, sizeof(name), e);
	int ret;

	memset(s, 0, sizeof(*s));
	*there = in != NULL;
	/* A kernel without CONFIG_SWAP has no such file. */
	if (!in)
		return e->code == -ENOENT ? 0 : e->code;
	ret = doctor_swaps_read(s, in, name, e);
	fclose(in);
	return ret;
}

/* ---- devices ---- */

/* Folder of a block device in /sys; a partition's queue is its disk's, one level up. */
static int read_rotational(const char *folder)
{
	char path[1100], word[16];

	snprintf(path, sizeof(path), "%s/queue/rotational", folder);
	if (!read_text(path, word, sizeof(word))) {
		snprintf(path, sizeof(path), "%s/../queue/rotational", folder);
		if (!read_text(path, word, sizeof(word)))
			return -1;
	}
	return word[0] == '1' ? 1 : word[0] == '0' ? 0 : -1;
}

static bool begins(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(s, prefix, len) && s[len] >= '0' && s[len] <= '9';
}

static void describe_disk(const struct doctor_facts *f, struct doctor_device *d)
{
	const char *slash = strrchr(d->name, '/'), *base = slash ? slash + 1 : d->name;
	char folder[1024];

	snprintf(folder, sizeof(folder), "%s/sys/class/block/%s", f->root, base);
	d->rotational = read_rotational(folder);
	/* The kernel keeps the flag to itself; these are the drivers that set it. */
	d->synchronous = begins(base, "zram") || begins(base, "ram") || begins(base, "pmem");
	d->is_zram = begins(base, "zram");
	if (d->is_zram)
		doctor_zram_read(f, base, d);
}

/* The disk below a swap file, where its file system has one. */
static void describe_file(const struct doctor_facts *f, struct doctor_device *d)
{
	char path[1024];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", f->root, d->name);
	if (d->deleted || stat(path, &st))
		return;
	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", f->root, major(st.st_dev),
		 minor(st.st_dev));
	d->rotational = read_rotational(path);
	if (d->rotational >= 0)
		d->synchronous = 0;
}

/* ---- which readahead ---- */

static const char *const mode_names[] = { "unknown", "off", "cluster", "VMA" };

const char *readahead_kind_name(enum readahead_kind k)
{
	return mode_names[k];
}

static void set_mode(struct doctor_facts *f, enum readahead_kind kind, const char *why)
{
	f->readahead = kind;
	f->why = why;
}

static bool is_before_vma(const struct doctor_facts *f)
{
	return doctor_release_since(f, 1, 0) && !doctor_release_since(f, 4, 14);
}

void doctor_decide_readahead(struct doctor_facts *f)
{
	unsigned int rotational = 0, unknown = 0;

	f->synchronous = 0;
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		rotational += f->swaps.devices[i].rotational == 1;
		unknown += f->swaps.devices[i].rotational < 0;
		f->synchronous += f->swaps.devices[i].synchronous == 1;
	}
	if (!f->page_cluster)
		set_mode(f, RA_KIND_OFF, "page-cluster is 0: one page a read");
	else if (f->vma_ra < 0 && is_before_vma(f))
		set_mode(f, RA_KIND_CLUSTER, "kernels before 4.14 have no other");
	else if (f->vma_ra < 0)
		set_mode(f, RA_KIND_UNKNOWN, "vma_ra_enabled cannot be read");
	else if (!f->vma_ra)
		set_mode(f, RA_KIND_CLUSTER, "vma_ra_enabled is false");
	else if (rotational)
		set_mode(f, RA_KIND_CLUSTER,
			 "a rotational swap device is on, which rules VMA readahead out for all "
			 "devices");
	else if (unknown)
		set_mode(
			f, RA_KIND_UNKNOWN,
			"VMA, unless a device is rotational, which cannot be read for all of them");
	else
		set_mode(f, RA_KIND_VMA,
			 "vma_ra_enabled is true and no rotational swap device is on");
}

/* ---- the machine ---- */

static void read_kernel(struct doctor_facts *f)
{
	struct kernel_config c;
	char path[512];
	struct utsname u;

	machine_release(f->root, f->release, sizeof(f->release));
	snprintf(f->machine, sizeof(f->machine), "%s", uname(&u) ? "unknown" : u.machine);
	kernel_of_release(&f->kernel, f->release);
	f->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	/* A page table of 8-byte entries maps a PMD: that many slots are a cluster with THP_SWAP.
	 */
	f->cluster_slots = f->page_size / 8;
	f->cluster_known = machine_config_path(f->root, path, sizeof(path)) &&
			   kernel_config_read(path, &c) && c.swap;
	if (f->cluster_known && !c.thp_swap)
		f->cluster_slots = 256;
}

static void read_settings(struct doctor_facts *f)
{
	char word[32], *end;
	long n;

	f->page_cluster = -1;
	f->vma_ra = -1;
	if (read_below(f, "/proc/sys/vm/page-cluster", word, sizeof(word))) {
		n = strtol(word, &end, 10);
		if (end != word && n >= 0 && n < 1000)
			f->page_cluster = (int)n;
	}
	if (read_below(f, "/sys/kernel/mm/swap/vma_ra_enabled", word, sizeof(word)))
		f->vma_ra = !strcmp(word, "true") || !strcmp(word, "1");
}

static void read_memory(struct doctor_facts *f)
{
	const struct {
		const char *name;
		uint64_t *to;
	} lines[] = {
		{ "MemTotal:", &f->memory.total_kb },
		{ "MemFree:", &f->memory.free_kb },
		{ "MemAvailable:", &f->memory.available_kb },
		{ "Buffers:", &f->memory.buffers_kb },
		{ "Active(file):", &f->memory.active_file_kb },
		{ "Inactive(file):", &f->memory.inactive_file_kb },
		{ "SReclaimable:", &f->memory.reclaimable_kb },
		{ "SwapCached:", &f->swap_cached_kb },
		{ "Zswap:", &f->zswap.pool_kb },
		{ "Zswapped:", &f->zswap.stored_kb },
	};
	char name[1024], line[256], key[64];
	struct error e;
	FILE *in = open_below(f->root, "/proc/meminfo", name, sizeof(name), &e);
	uint64_t kb;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		*lines[i].to = COUNT_UNKNOWN;
	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%63s %" SCNu64, key, &kb) != 2)
			continue;
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (!strcmp(lines[i].name, key))
				*lines[i].to = kb;
	}
	if (in)
		fclose(in);
	f->memory.min_free_kb = COUNT_UNKNOWN;
	if (read_below(f, "/proc/sys/vm/min_free_kbytes", line, sizeof(line)))
		sscanf(line, "%" SCNu64, &f->memory.min_free_kb);
}

/* One file bound over the kernel's is as wrong as a whole made-up /proc. */
static bool is_procfs(const struct doctor_facts *f)
{
	char name[1024];
	struct statfs st;

	snprintf(name, sizeof(name), "%s/proc/vmstat", f->root);
	return !statfs(name, &st) && st.f_type == PROC_SUPER_MAGIC;
}

int doctor_facts_read(struct doctor_facts *f, const char *root, struct error *e)
{
	int ret;

	memset(f, 0, sizeof(*f));
	snprintf(f->root, sizeof(f->root), "%s", root);
	read_kernel(f);
	read_settings(f);
	read_memory(f);
	doctor_zswap_read(f);
	f->procfs = is_procfs(f);
	ret = doctor_swaps_now(&f->swaps, root, &f->have_swaps, e);
	if (!ret)
		ret = doctor_counters_now(&f->counters, root, e);
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		struct doctor_device *d = &f->swaps.devices[i];

		if (d->file)
			describe_file(f, d);
		else
			describe_disk(f, d);
	}
	doctor_decide_readahead(f);
	return ret;
}
