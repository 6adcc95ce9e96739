// SPDX-License-Identifier: GPL-2.0
#include "replay/lru_result.h"

#include <stdlib.h>
#include <string.h>

void lru_result_free(struct lru_result *r)
{
	free(r->sites);
	memset(r, 0, sizeof(*r));
}
