/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_KCONFIG_H
#define SWAPTRACE_BPF_KCONFIG_H

#include <stdbool.h>

/* What matters here of a kernel's configuration; not set means not built in. */
struct kernel_config {
	bool swap;     /* CONFIG_SWAP */
	bool thp_swap; /* CONFIG_THP_SWAP */
	bool fprobe;   /* CONFIG_FPROBE */
	bool preempts; /* a task in the kernel can be preempted, unless that is changed at boot */
};

/**
 * kernel_config_read - read a configuration, as text or compressed by gzip (/proc/config.gz)
 * @path: NULL is as good as a file that is not there
 * Returns false when it can't be read, is damaged or is no configuration: nothing is known then.
 */
bool kernel_config_read(const char *path, struct kernel_config *c);

#endif
