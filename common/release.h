/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_RELEASE_H
#define SWAPTRACE_COMMON_RELEASE_H

#include <stdbool.h>

/*
 * Releases of the Linux kernel. The one reader of "6.12.117+deb12-cloud-amd64": what a release does
 * is said in replay/kernels.h.
 */

struct kernel_release {
	unsigned int major, minor;
	unsigned int patch; /* 0 also where the text has none; some distributions always say 0 */
};

/**
 * kernel_release_parse - read a release as uname -r prints it
 * @text: MAJOR.MINOR or MAJOR.MINOR.PATCH, each at most 9999, then nothing or what a builder added,
 *	  which begins with neither a letter nor a digit: "-rc3", "+deb12-cloud-amd64", ".fc41"
 * A release candidate counts as the release. Returns false, with @r untouched, for anything else.
 */
bool kernel_release_parse(struct kernel_release *r, const char *text);

/** kernel_release_compare - less than, equal to or greater than 0: @a is older, the same, newer */
int kernel_release_compare(const struct kernel_release *a, const struct kernel_release *b);

#endif
