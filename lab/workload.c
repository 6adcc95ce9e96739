// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "swapon")) {
		int prio = atoi(argv[3]);
		int flags = prio < 0 ? 0 : SWAP_FLAG_PREFER | prio;

		if (swapon(argv[2], flags)) {
			perror(argv[2]);
			return 1;
		}
		return 0;
	}
	return 2;
}
