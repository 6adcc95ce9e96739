// SPDX-License-Identifier: GPL-2.0
/* Why recording is refused, in words: no BTF (case 45), lockdown (53), privileges (54). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "bpf/btf_file.h"
#include "bpf/machine.h"
#include "bpf/privilege.h"

/* What a container's root has by default, as the case gives it. */
#define CONTAINER_CAPS 0xa80425fbull
#define ALL_CAPS 0x1ffffffffffull

static char root[64];

static void put(const char *path, const void *data, size_t len)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(name, 0777);
		*p = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_refusals.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* ---- case 45 ---- */

static struct btf_file *read_btf(const char *name, int want, struct error *e)
{
	struct btf_file *b;
	char path[256];

	snprintf(path, sizeof(path), "%s%s", root, name);
	assert_int_equal(btf_file_open(&b, path, e), want);
	assert_int_equal(!b, want != 0);
	return b;
}

static void test_no_btf(void **state)
{
	static const uint8_t noise[16] = { 7, 1, 9, 3, 200, 14, 6, 2, 90, 91, 5, 44, 3, 2, 1, 0 };
	static const char name[] = "/sys/kernel/btf/vmlinux";
	struct error e = { 0 };

	(void)state;
	read_btf(name, -ENOENT, &e);
	/* What that means depends on whose file it is: tests/cases/record.sh. */
	assert_non_null(strstr(e.text, "/sys/kernel/btf/vmlinux: cannot be opened"));
	put("/sys/kernel/btf/vmlinux", "", 0);
	read_btf(name, -ENODATA, &e);
	assert_non_null(strstr(e.text, "empty"));
	put("/sys/kernel/btf/vmlinux", noise, sizeof(noise));
	read_btf(name, -EBADMSG, &e);
	assert_non_null(strstr(e.text, "not BTF"));
}

/* A BTF of one function: void f(int), and another that returns a struct. */
struct tiny {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_len, type_off, type_len, string_off, string_len;
	uint32_t types[24];
	char strings[16];
};

#define INFO(kind, n) ((uint32_t)(kind) << 24 | (n))

static struct tiny tiny_btf(void)
{
	struct tiny t = {
		.magic = 0xeb9f,
		.version = 1,
		.header_len = 24,
		.type_len = 22 * 4,
		.string_off = 24 * 4,
		.string_len = 16,
		.types = {
			1, INFO(1, 0), 4, 32,	     /* [1] int "i" */
			3, INFO(4, 0), 8,	     /* [2] struct "s" */
			0, INFO(13, 1), 0, 0, 1,     /* [3] void (int) */
			0, INFO(13, 0), 2,	     /* [4] struct s (void) */
			5, INFO(12, 0), 3,	     /* [5] f1 */
			8, INFO(12, 0), 4,	     /* [6] f2 */
			0,
		},
		.strings = "\0i\0s\0f1\0f2",
	};

	t.type_len = (4 + 3 + 5 + 3 + 3 + 3) * 4;
	return t;
}

static void test_btf_functions(void **state)
{
	struct tiny t = tiny_btf();
	struct error e = { 0 };
	struct btf_file *b;
	char text[64];

	(void)state;
	put("/btf", &t, sizeof(t));
	b = read_btf("/btf", 0, &e);
	assert_true(btf_file_prototype(b, "f1", 0, text, sizeof(text)));
	assert_string_equal(text, "void(i:)");
	assert_false(btf_file_returns_struct(b, "f1"));
	assert_false(btf_file_prototype(b, "f1", 1, text, sizeof(text)));
	assert_true(btf_file_prototype(b, "f2", 0, text, sizeof(text)));
	assert_string_equal(text, "s()");
	assert_true(btf_file_returns_struct(b, "f2"));
	assert_false(btf_file_prototype(b, "f3", 0, text, sizeof(text)));
	/* No room: no half of a prototype. */
	assert_false(btf_file_prototype(b, "f1", 0, text, 8));
	assert_false(btf_file_is_kernel(b));
	btf_file_close(b);
}

/* Types always count; names where the form gives them. */
static void test_forms(void **state)
{
	static const char entry[] = "void(info*:si,entry_t:entry,unsigned int:nr)";
	static const char offset[] = "void(info*:si,unsigned long:offset,unsigned int:nr)";

	(void)state;
	assert_true(btf_prototype_matches(entry, "void(info*,entry_t:entry,unsigned int:n|nr)"));
	assert_true(btf_prototype_matches(entry, "void(x*) ; void(info*,entry_t,unsigned int)"));
	assert_true(btf_prototype_matches(entry, NULL));
	assert_false(btf_prototype_matches(offset, "void(info*,entry_t:entry,unsigned int:nr)"));
	assert_false(btf_prototype_matches(entry, "void(info*,entry_t:targ_entry,unsigned int)"));
	assert_false(btf_prototype_matches(entry, "void(info*,entry_t)"));
	assert_false(btf_prototype_matches(entry, "int(info*,entry_t,unsigned int)"));
	assert_false(btf_prototype_matches(entry, "void(info*,entry_t,unsigned int,bool)"));
	assert_false(btf_prototype_matches(entry, ""));
	assert_true(btf_prototype_matches("void()", "void()"));
}

/* Every cut and every flipped byte gives an answer or a clear refusal, never a crash. */
static void test_btf_damage(void **state)
{
	struct tiny t = tiny_btf();
	struct error e = { 0 };
	char path[256], text[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/btf", root);
	for (size_t len = 1; len < 24 + 24 * 4; len++) {
		put("/btf", &t, len);
		read_btf("/btf", -EBADMSG, &e);
	}
	for (size_t i = 0; i < sizeof(t); i++) {
		struct tiny bad = t;
		struct btf_file *b;
		int err;

		((uint8_t *)&bad)[i] ^= 0xff;
		put("/btf", &bad, sizeof(bad));
		err = btf_file_open(&b, path, &e);
		assert_true(err == 0 || err == -EBADMSG);
		if (err)
			continue;
		btf_file_prototype(b, "f1", 0, text, sizeof(text));
		btf_file_returns_struct(b, "f2");
		btf_file_member(b, "s", "m", text, sizeof(text));
		btf_file_close(b);
	}
}

/* ---- case 53 ---- */

static struct privilege privileged(void)
{
	return (struct privilege){
		.have_caps = true, .caps = ALL_CAPS, .memlock = UINT64_MAX, .unprivileged_bpf = 2
	};
}

static void test_lockdown(void **state)
{
	struct privilege p;
	struct error e = { 0 };

	(void)state;
	put_text("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	put_text("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	privilege_read(&p, root);
	assert_int_equal(privilege_check(&p, &e), -EPERM);
	assert_non_null(strstr(e.text, "lockdown is in confidentiality mode"));

	put_text("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	privilege_read(&p, root);
	assert_int_equal(privilege_check(&p, &e), 0);
	p.memlock = UINT64_MAX;
	assert_int_equal(privilege_explain(&p, -EPERM, &e), -EPERM);
	assert_null(strstr(e.text, "lockdown"));
	assert_non_null(strstr(e.text, "unprivileged_bpf_disabled"));

	/* Integrity mode lets reading of kernel memory pass. */
	put_text("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	privilege_read(&p, root);
	assert_int_equal(privilege_check(&p, &e), 0);
}

static void test_no_lockdown_file(void **state)
{
	struct privilege p;
	struct error e = { 0 };

	(void)state;
	put_text("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	privilege_read(&p, root);
	assert_false(p.lockdown_known);
	assert_int_equal(privilege_check(&p, &e), 0);
	p.memlock = UINT64_MAX;
	privilege_explain(&p, -EPERM, &e);
	assert_null(strstr(e.text, "lockdown"));
}

/* ---- case 54 ---- */

static void test_container_root(void **state)
{
	struct privilege p;
	struct error e = { 0 };

	(void)state;
	put_text("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n");
	privilege_read(&p, root);
	assert_int_equal(p.uid, 0);
	assert_int_equal(p.caps, CONTAINER_CAPS);
	assert_int_equal(privilege_check(&p, &e), -EPERM);
	assert_non_null(strstr(e.text, "root, but CAP_BPF/CAP_SYS_ADMIN missing (container?)"));
}

static void test_not_root(void **state)
{
	struct privilege p;
	struct error e = { 0 };

	(void)state;
	put_text("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n");
	privilege_read(&p, root);
	assert_int_equal(privilege_check(&p, &e), -EPERM);
	assert_non_null(strstr(e.text, "run with sudo"));
}

/* CAP_BPF (39) and CAP_PERFMON (38) together are enough, one of them is not. */
static void test_capabilities(void **state)
{
	struct privilege p = privileged();
	struct error e = { 0 };

	(void)state;
	p.uid = 1000;
	p.caps = 1ull << 39 | 1ull << 38;
	assert_int_equal(privilege_check(&p, &e), 0);
	p.caps = 1ull << 39;
	assert_int_equal(privilege_check(&p, &e), -EPERM);
	p.caps = 1ull << 21;
	assert_int_equal(privilege_check(&p, &e), 0);
}

static void test_memlock(void **state)
{
	struct privilege p = privileged();
	struct error e = { 0 };

	(void)state;
	p.memlock = 64 << 10;
	assert_int_equal(privilege_explain(&p, -ENOMEM, &e), -ENOMEM);
	assert_non_null(strstr(e.text, "RLIMIT_MEMLOCK too low (64 KiB)"));
	/* With plenty of it, memory is simply out: what the loader said stays. */
	p.memlock = UINT64_MAX;
	strcpy(e.text, "untouched");
	assert_int_equal(privilege_explain(&p, -ENOMEM, &e), -ENOMEM);
	assert_string_equal(e.text, "untouched");
}

/* ---- case 58 ---- */

static void test_pid_of_a_container(void **state)
{
	unsigned int count;

	(void)state;
	put_text("/proc/4711/status", "Name:\tx\nNSpid:\t4711\t17\n");
	put_text("/proc/4800/status", "Name:\ty\nNSpid:\t4800\n");
	assert_int_equal(machine_host_tgid(root, 17, &count), 4711);
	assert_int_equal(count, 1);
	assert_int_equal(machine_host_tgid(root, 4800, &count), 4800);
	assert_int_equal(machine_host_tgid(root, 18, &count), 0);
	assert_int_equal(count, 0);
	put_text("/proc/4712/status", "Name:\tz\nNSpid:\t4712\t17\n");
	assert_int_not_equal(machine_host_tgid(root, 17, &count), 0);
	assert_int_equal(count, 2);
}

/* ---- facts ---- */

static void test_facts(void **state)
{
	struct trace_header *h = trace_header_new();
	struct error e = { 0 };
	uint64_t value;

	(void)state;
	put_text("/proc/sys/kernel/osrelease", "6.99.1-test\n");
	put_text("/proc/sys/vm/page-cluster", "5\n");
	put_text("/sys/kernel/mm/swap/vma_ra_enabled", "false\n");
	put_text("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put_text("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled",
		 "always [inherit] madvise never\n");
	put_text("/boot/config-6.99.1-test", "CONFIG_SWAP=y\n# CONFIG_THP_SWAP is not set\n");
	assert_int_equal(machine_facts(h, root, &e), 0);
	assert_string_equal(trace_header_get(h, "release"), "6.99.1-test");
	assert_string_equal(trace_header_get(h, "page_cluster"), "5");
	assert_string_equal(trace_header_get(h, "vma_ra"), "0");
	assert_string_equal(trace_header_get(h, "thp_enabled"), "madvise");
	assert_string_equal(trace_header_get(h, "thp_64kB"), "inherit");
	assert_true(trace_header_u64(h, "thp_swap", &value));
	assert_int_equal(value, 0);
	/* Without CONFIG_THP_SWAP a cluster has 256 slots. */
	assert_true(trace_header_u64(h, "cluster_slots", &value));
	assert_int_equal(value, 256);
	trace_header_free(h);
}

/* As /proc/config.gz gives it, in gzip's format; and cut off, so that nothing of it is certain. */
static void put_gz(const char *path, const char *text, size_t cut)
{
	uint8_t data[512];
	z_stream z = { .next_in = (Bytef *)(uintptr_t)text,
		       .avail_in = (uInt)strlen(text),
		       .next_out = data,
		       .avail_out = sizeof(data) };

	/* 16 on top of the window bits means gzip. */
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	put(path, data, z.total_out - cut);
	assert_int_equal(deflateEnd(&z), Z_OK);
}

static void test_compressed_configuration(void **state)
{
	static const char text[] = "# a kernel\nCONFIG_SWAP=y\nCONFIG_THP_SWAP=y\n";
	struct trace_header *h = trace_header_new();
	struct error e = { 0 };
	uint64_t value;

	(void)state;
	put_text("/proc/sys/kernel/osrelease", "6.99.1-test\n");
	put_gz("/proc/config.gz", text, 0);
	assert_int_equal(machine_facts(h, root, &e), 0);
	assert_true(trace_header_u64(h, "thp_swap", &value));
	assert_int_equal(value, 1);
	trace_header_free(h);

	h = trace_header_new();
	put_gz("/proc/config.gz", text, 6);
	assert_int_equal(machine_facts(h, root, &e), 0);
	assert_null(trace_header_get(h, "thp_swap"));
	/* The text beside the kernel's image goes first. */
	put_text("/boot/config-6.99.1-test", "CONFIG_SWAP=y\n");
	assert_int_equal(machine_facts(h, root, &e), 0);
	assert_true(trace_header_u64(h, "thp_swap", &value));
	assert_int_equal(value, 0);
	trace_header_free(h);
}

/* What cannot be read is unknown, not 0. */
static void test_unknown_facts(void **state)
{
	struct trace_header *h = trace_header_new();
	struct error e = { 0 };

	(void)state;
	assert_int_equal(machine_facts(h, root, &e), 0);
	assert_null(trace_header_get(h, "page_cluster"));
	assert_null(trace_header_get(h, "vma_ra"));
	assert_null(trace_header_get(h, "thp_swap"));
	assert_null(trace_header_get(h, "cluster_slots"));
	trace_header_free(h);
}

static void test_swap_names(void **state)
{
	char name[64];

	(void)state;
	put_text("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
				"/dev/dm-0                               partition\t1\t\t0\t\t-2\n"
				"/swap\\040file                           file\t\t1\t\t0\t\t-3\n");
	assert_true(machine_swap_name(root, 0, name, sizeof(name)));
	assert_string_equal(name, "/dev/dm-0");
	assert_true(machine_swap_name(root, 1, name, sizeof(name)));
	assert_string_equal(name, "/swap file");
	assert_false(machine_swap_name(root, 2, name, sizeof(name)));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_btf),
		TEST(test_btf_functions),
		TEST(test_forms),
		TEST(test_btf_damage),
		TEST(test_lockdown),
		TEST(test_no_lockdown_file),
		TEST(test_container_root),
		TEST(test_not_root),
		TEST(test_capabilities),
		TEST(test_memlock),
		TEST(test_pid_of_a_container),
		TEST(test_facts),
		TEST(test_unknown_facts),
		TEST(test_compressed_configuration),
		TEST(test_swap_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
