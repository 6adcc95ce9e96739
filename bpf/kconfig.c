// SPDX-License-Identifier: GPL-2.0
#include "bpf/kconfig.h"

#include <string.h>
#include <zlib.h>

bool kernel_config_read(const char *path, struct kernel_config *c)
{
	/* Plain text comes through as it is. */
	gzFile in = path ? gzopen(path, "r") : NULL;
	char line[256];
	bool any = false;

	memset(c, 0, sizeof(*c));
	if (!in)
		return false;
	while (gzgets(in, line, sizeof(line))) {
		any |= !strncmp(line, "CONFIG_", 7);
		c->swap |= !strcmp(line, "CONFIG_SWAP=y\n");
		c->thp_swap |= !strcmp(line, "CONFIG_THP_SWAP=y\n");
		c->fprobe |= !strcmp(line, "CONFIG_FPROBE=y\n");
		c->preempts |= !strcmp(line, "CONFIG_PREEMPT=y\n") ||
			       !strcmp(line, "CONFIG_PREEMPT_LAZY=y\n") ||
			       !strcmp(line, "CONFIG_PREEMPT_RT=y\n");
	}
	return gzclose(in) == Z_OK && any;
}
