// SPDX-License-Identifier: GPL-2.0
#include "analyze/published.h"

const struct published_window published_swapoff_windows[4] = {
	{ 1, 49290, 1618 },
	{ 2, 527771, 4960 },
	{ 4, 44151, 41315 },
	{ 8, 36948, 103521 },
};

const struct published_time published_swapoff_times[2] = {
	{ "cluster", 22.09, 12.19 },
	{ "VMA", 18.20, 15.33 },
};
