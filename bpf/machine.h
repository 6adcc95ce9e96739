/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_MACHINE_H
#define SWAPTRACE_BPF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "traces/header.h"

/*
 * Facts about the machine for the header of a trace, from /proc, /sys and /boot below a root folder
 * ("" for this machine; another one in tests). What cannot be read is left out: unknown, not 0.
 */

/** machine_facts - release, machine, page size, sysctls, configuration, THP switches */
int machine_facts(struct trace_header *h, const char *root, struct error *e);

/**
 * machine_thp_counters - what the kernel has counted for each size of large folios
 * @when: "begin" or "end"
 * Adds a line "note counters=WHEN thp_SIZEkB_swpout=N thp_SIZEkB_swpout_fallback=N ..."; none where
 * the kernel has no such counters (before 6.10). Returns 0 or -ENOMEM.
 */
int machine_thp_counters(struct trace_header *h, const char *root, const char *when);

/**
 * machine_swap_counters - what the kernel has counted of swap since it booted
 * @when: "begin" or "end"
 * Adds a line "note vmstat=WHEN pswpin=N pswpout=N swap_ra=N swap_ra_hit=N swpin_zero=N
 * swpout_zero=N", of these what /proc/vmstat has; no line where it has none. Returns 0 or -ENOMEM.
 */
int machine_swap_counters(struct trace_header *h, const char *root, const char *when);

/**
 * machine_config_path - the kernel's configuration, for kernel_config_read()
 * @out: "/boot/config-RELEASE", "/lib/modules/RELEASE/config" or "/proc/config.gz" below @root;
 * false when there is none
 */
bool machine_config_path(const char *root, char *out, size_t size) __attribute__((nonnull));

/**
 * machine_preempts - whether a task in the kernel can be preempted
 * Returns 1 or 0 as the scheduler's file in debugfs says, which a boot parameter decides; -1 where
 * it can't be read.
 */
int machine_preempts(const char *root);

/** machine_release - uname -r, or what a test's root says */
void machine_release(const char *root, char *out, size_t size);

/**
 * machine_swap_name - name of the @index-th device of /proc/swaps, which lists the devices that are
 * on in the order of their numbers
 * Returns false when there is no such line.
 */
bool machine_swap_name(const char *root, unsigned int index, char *out, size_t size);

/**
 * machine_host_tgid - the process that a pid of this PID namespace or of a container's means
 * @pid: as the user gave it
 * @count: how many processes have it as their number in some namespace below this one
 * Returns the number in this namespace; 0 when there is no such process.
 */
unsigned int machine_host_tgid(const char *root, unsigned int pid, unsigned int *count);

/**
 * machine_cgroup - id and depth of a cgroup given by a path below the cgroup2 mount, or in full
 */
int machine_cgroup(const char *path, uint64_t *id, unsigned int *level, struct error *e);

#endif
