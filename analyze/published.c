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

const struct published_fallback published_mthp[PUBLISHED_MTHP_ROWS] = {
	{ 2, { 18234, 13701 }, { 32441, 0 } },
	{ 3, { 18712, 15997 }, { 34445, 0 } },
	{ 4, { 17644, 18246 }, { 35495, 0 } },
	{ 5, { 7596, 21497 }, { 29136, 52 } },
	{ 6, { 93, 8642 }, { 2223, 6278 } },
	{ 7, { 0, 192 }, { 1, 134 } },
	{ 8, { 0, 0 }, { 6, 0 } },
	{ 9, { 0, 2 }, { 1, 1 } },
};

const struct published_memtier published_mthp_memtier[2] = {
	{ 48805.63, 5.26045, 1.191, 38.911, 59.647 },
	{ 71098.84, 3.60585, 0.711, 26.367, 39.167 },
};

const struct published_row published_drain[PUBLISHED_DRAIN_ROWS] = {
	{ "Min", 141.00, 141.00, 0.00 },	  { "1st-qrtle", 142.00, 142.00, 0.00 },
	{ "2nd-qrtle", 142.00, 142.00, 0.00 },	  { "3rd-qrtle", 143.00, 143.00, 0.00 },
	{ "Max-90%", 144.00, 144.00, 0.00 },	  { "Max-95%", 146.00, 145.00, 0.68 },
	{ "Max-99%", 198.00, 194.00, 2.02 },	  { "Max", 254.00, 208.00, 18.11 },
	{ "Amean", 145.12, 144.30, 0.56 },	  { "Stddev", 12.74, 9.62, 24.49 },
	{ "Coeff", 8.78, 6.67, 24.06 },		  { "Best99%Amean", 144.29, 143.82, 0.32 },
	{ "Best95%Amean", 142.68, 142.31, 0.26 }, { "Best90%Amean", 142.52, 142.19, 0.24 },
	{ "Best75%Amean", 142.26, 141.98, 0.20 }, { "Best50%Amean", 141.90, 141.71, 0.13 },
	{ "Best25%Amean", 141.80, 141.43, 0.26 },
};

const struct published_rate published_lruadd[3] = {
	{ "mainline", 150 },
	{ "patch 1/2: inline", 154 },
	{ "both patches", 159 },
};

const struct published_runs published_lruadd_runs[2] = {
	{ "without the patches", 10, 56.64143, 0.672 },
	{ "with both patches", 10, 56.10, 0.21 },
};
