// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: any bytes as a trace, binary or text. Not part of `make check`; build and run with
 *
 *   make O=build/fuzz CC=clang CFLAGS='-O1 -g -fsanitize=address,undefined,fuzzer-no-link'
 * build/fuzz/libswaptrace.a
 *   clang -D_GNU_SOURCE -I. -g -fsanitize=address,undefined,fuzzer tests/fuzz/fuzz_trace.c \
 *         build/fuzz/libswaptrace.a -lzstd -lxxhash -o build/fuzz/fuzz_trace
 *   build/fuzz/fuzz_trace CORPUS-FOLDER
 *
 * Checksums are made right before reading, or no change would ever get past them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "traces/bytes.h"
#include "traces/trace.h"
#include "traces/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seal(uint8_t *p, size_t size)
{
	for (size_t at = 0; at + WIRE_HEAD <= size; at++) {
		uint64_t len;

		if (memcmp(p + at, WIRE_MAGIC, WIRE_MAGIC_LEN))
			continue;
		len = load_u64(p + at + 16);
		if (len <= size - at - WIRE_HEAD)
			store_u64(p + at + 24, XXH64(p + at + WIRE_HEAD, len, 0));
		store_u64(p + at + 72, XXH64(p + at, 72, 0));
	}
}

static void read_all(const char *path)
{
	struct trace_reader *r;
	struct event ev;
	struct error e;
	FILE *null = fopen("/dev/null", "w");

	if (null && !trace_open(&r, path, &e)) {
		uint64_t last = 0;

		trace_print_header(null, trace_get_header(r));
		while (trace_next(r, &ev, &e) > 0) {
			if (ev.t_ns < last || ev.type >= EV_NR)
				abort();
			last = ev.t_ns;
			trace_print_event(null, r, &ev);
		}
		trace_close(r);
	}
	if (null)
		fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	uint8_t *copy = malloc(size + 1);
	char path[64];

	if (fd >= 0 && copy) {
		memcpy(copy, data, size);
		seal(copy, size);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (write(fd, copy, size) == (ssize_t)size)
			read_all(path);
	}
	if (fd >= 0)
		close(fd);
	free(copy);
	return 0;
}
