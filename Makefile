# SPDX-License-Identifier: GPL-2.0
#
#   make              build ./swaptrace (gcc; CC=clang works as well)
#   make deps         install what building, testing and the lab need (Debian packages)
#   make demo         replay, verify and draw a shipped real capture; LIVE=1 records a new one
#   make check        all tests; ARGS='unit/*' only those
#   make torture      writing, with every call failing and 200 kills of each kind (10 minutes)
#   make check-golden GOLDEN=DIR   every vector file of the real kernel code below DIR
#   make install      DESTDIR= PREFIX=/usr/local; make uninstall takes it away again
#   make deb          packages of Debian into build/deb; make check-deb tries them in a clean folder
#   make dist         the sources as a tarball that is the same wherever it is made
#   make man          manual pages and completions into build/man
#   make lab          record a swapoff in a guest (KERNEL=6.12, any other series of lab/run.sh, or lab)
#   make lab-kernel   build the kernel with switches for the lab (10 minutes, kept below ~/.cache)
#   make check-bcc    both recorders at once in a guest (10 minutes; needs libbpfcc-dev, e2fsprogs)
#   make check-kernels  docs/kernels.md: every workload on every kernel in guests (an hour)
#   make fidelity     what-if against truth: docs/fidelity.md from runs in guests (half an hour)
#
# CPPFLAGS=, CFLAGS=, LDFLAGS= and LDLIBS= are the user's: what the build itself needs stands before them.
# ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- builds for another machine; O=DIR and $(lab/sysroot.sh --flags arm64)
# give it a folder and libraries of its own.
# HAVE_BPF=0 builds everything but record. SANITIZE=1 adds ASan and UBSan. O=DIR moves the objects.
# HAVE_TRACECMD=0 builds without libtracecmd (import of trace.dat), HAVE_BCC=0 without the bcc backend
# of record, as happens where these are not installed (libtracecmd-dev, libbpfcc-dev).

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
CLANG ?= clang
BPFTOOL ?= $(shell command -v bpftool || echo /usr/sbin/bpftool)
PREFIX ?= /usr/local
DESTDIR ?=
O ?= build
HAVE_BPF ?= 1
HAVE_BCC ?= $(shell $(CC) -E -include bcc/bcc_common.h -x c /dev/null >/dev/null 2>&1 && echo 1 || echo 0)
KERNEL ?= 6.12

# The kernel's name of the machine that the compiler builds for; the BPF programs read registers by it.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
MACHINE_ARCH := $(patsubst i%86,x86,$(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(patsubst powerpc64%,powerpc,\
	$(patsubst s390x,s390,$(patsubst riscv64,riscv,$(patsubst loongarch64,loongarch,$(MACHINE))))))))
ARCH ?= $(MACHINE_ARCH)
BPF_ARCH := $(patsubst x86_64,x86,$(ARCH))
ifneq ($(BPF_ARCH),$(MACHINE_ARCH))
$(error ARCH=$(ARCH), but $(CC) builds for $(MACHINE): give CROSS_COMPILE= (aarch64-linux-gnu- for arm64) or CC= as well)
endif

VERSION := 0.1
# Short lines for a build that goes well; V=1 shows the commands.
Q := $(if $(V),,@)
CSTD := -std=c11 -D_GNU_SOURCE
WARN := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes
CFLAGS ?= -O2 -g
# What is built needs these; the user's own words come behind them.
ALL_CPPFLAGS := -I. -I$(O) -DSWAPTRACE_VERSION='"$(VERSION)"'
ALL_CFLAGS :=
ALL_LDFLAGS :=
ALL_LDLIBS := -lzstd -lxxhash -ljansson -lm -lpthread
ifneq ($(SANITIZE),1)
# Assertions are for builds that look for faults: they stand in the innermost loops.
ALL_CPPFLAGS += -DNDEBUG
else
ALL_CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=address,undefined
endif

BPF_HOST_SRCS := $(wildcard bpf/*.c bpf/bcc/*.c)
BPF_HOST_SRCS := $(filter-out %.bpf.c bpf/bcc/static_library.c,$(BPF_HOST_SRCS))
ifeq ($(HAVE_BPF),1)
ALL_CPPFLAGS += -DHAVE_BPF=1
ALL_LDLIBS += -lbpf -lelf
BPF_SRCS := $(wildcard bpf/*.bpf.c)
BPF_SKELS := $(BPF_SRCS:bpf/%.bpf.c=$(O)/bpf/%.skel.h)
else
override HAVE_BCC := 0
# What needs libbpf is named *_bpf.c; the rest of bpf/ (hook plan, privileges) has no dependency.
BPF_HOST_SRCS := $(filter-out %_bpf.c,$(BPF_HOST_SRCS))
endif
# Behind libelf, which needs it, too.
ALL_LDLIBS += -lz

# trace.dat is read by libtracecmd, where it is. It only comes as a shared library.
TRACECMD_CPPFLAGS ?= $(addprefix -I/usr/include/,trace-cmd traceevent tracefs)
HAVE_TRACECMD ?= $(shell $(CC) $(TRACECMD_CPPFLAGS) -E -include trace-cmd.h -x c /dev/null >/dev/null 2>&1 && \
	echo 1 || echo 0)
ifeq ($(HAVE_TRACECMD),1)
TRACECMD_LIBS := -ltracecmd -ltracefs -ltraceevent
TRACECMD_OTHER := none
else
TRACECMD_OTHER := lib
endif

# What needs libbcc's header is named *_bcc.c. The library is loaded when it is called for.
ifeq ($(HAVE_BCC),1)
ALL_CPPFLAGS += -DHAVE_BCC=1
BCC_OBJS := $(O)/bpf/bcc/program_text.o
STATIC_OBJS := $(O)/bpf/bcc/static_library.o
else
BPF_HOST_SRCS := $(filter-out %_bcc.c,$(BPF_HOST_SRCS))
endif

# The filter that the program puts on itself; without the library there is none.
HAVE_SECCOMP ?= $(shell $(CC) -E -include seccomp.h -x c /dev/null >/dev/null 2>&1 && echo 1 || echo 0)
ifeq ($(HAVE_SECCOMP),1)
ALL_CPPFLAGS += -DHAVE_SECCOMP=1
ALL_LDLIBS += -lseccomp
endif

MODEL_SRCS := $(wildcard replay/model/*.c)
LIB_SRCS := $(wildcard $(addsuffix /*.c,common traces import export replay $(addprefix replay/,world readahead alloc lru) \
	render analyze doctor)) $(MODEL_SRCS) $(BPF_HOST_SRCS)
LIB_SRCS := $(filter-out import/tracedat_$(TRACECMD_OTHER).c,$(LIB_SRCS))
CLI_SRCS := $(filter-out cli/main.c,$(wildcard cli/*.c))
LIB_OBJS := $(LIB_SRCS:%.c=$(O)/%.o) $(CLI_SRCS:%.c=$(O)/%.o) $(BCC_OBJS)
MODEL_OBJS := $(MODEL_SRCS:%.c=$(O)/%.o)
UNIT_SRCS := $(wildcard tests/unit/test_*.c)
UNIT_BINS := $(UNIT_SRCS:%.c=$(O)/%)
GOLDEN_SRCS := $(wildcard tests/golden*.c)
GOLDEN_OBJS := $(GOLDEN_SRCS:%.c=$(O)/%.o)

ALL_CPPFLAGS += $(CPPFLAGS)
ALL_CFLAGS += $(CFLAGS)
ALL_LDFLAGS += $(LDFLAGS)
ALL_LDLIBS += $(LDLIBS)

# Objects of other flags (HAVE_BPF, SANITIZE, CC) are no use: the folder says what it was built with.
FLAGS := $(strip $(CC) $(BPF_ARCH) $(CSTD) $(filter-out -I%,$(ALL_CPPFLAGS)) $(WARN) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(ALL_LDLIBS) $(TRACECMD_LIBS))

all: swaptrace

ifneq ($(strip $(file <$(O)/flags)),$(FLAGS))
$(O)/flags: .FORCE
endif
$(O)/flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS))' > $@

# The file here is of the O that was asked for last, whichever is newer.
swaptrace: $(O)/swaptrace .FORCE
	@cmp -s $< $@ || cp -f $< $@

$(O)/swaptrace: $(O)/cli/main.o $(O)/libswaptrace.a
	@echo '  LD   $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(TRACECMD_LIBS) $(ALL_LDLIBS)

# For guests and rescue systems that have no libraries.
# An object that stands before the archive is taken instead of the archive's.
swaptrace.static: $(O)/swaptrace.static .FORCE
	@cmp -s $< $@ || cp -f $< $@

$(O)/swaptrace.static: $(O)/cli/main.o $(O)/import/tracedat_none.o $(STATIC_OBJS) $(O)/libswaptrace.a
	@echo '  LD   $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -static -o $@ $^ $(ALL_LDLIBS)

$(O)/libswaptrace.a: $(LIB_OBJS)
	@rm -f $@
	@echo '  AR   $@'
	$(Q)$(AR) rcs $@ $^

# The models alone, for programs that write their own policies.
$(O)/libswapmodel.a: $(MODEL_OBJS)
	@rm -f $@
	@echo '  AR   $@'
	$(Q)$(AR) rcs $@ $^

# The same as a shared library. Its number changes when a program must be built anew.
MODEL_SONAME := libswapmodel.so.0
MODEL_MAP := replay/model/swapmodel.map
$(O)/$(MODEL_SONAME): $(MODEL_SRCS:%.c=$(O)/pic/%.o) $(MODEL_MAP)
	@echo '  LD   $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(MODEL_SONAME) -Wl,--version-script=$(MODEL_MAP) \
		-o $@ $(filter %.o,$^)

$(O)/pic/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	@echo '  CC   $< (shared)'
	$(Q)$(CC) $(CSTD) $(CPPFLAGS) $(WARN) $(CFLAGS) -fPIC -MMD -MP -c -o $@ $<

$(O)/swapmodel.pc: $(O)/flags Makefile
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(PREFIX)/$(LIBNAME)' 'includedir=$${prefix}/include' '' 'Name: swapmodel' \
		"Description: models of the Linux kernel's swap readahead, slot allocator and LRU batches" \
		'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lswapmodel' > $@

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	@echo '  CC   $<'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) $(HOT) -MMD -MP -c -o $@ $<

# The loops over the columns of a block: what -O2 leaves one by one is done several at a time.
$(O)/traces/block.o $(O)/traces/column_decode.o: HOT := $(if $(filter -O2,$(ALL_CFLAGS)),-O3)

$(O)/import/tracedat_lib.o: ALL_CPPFLAGS += $(TRACECMD_CPPFLAGS)

$(O)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h) $(O)/flags
	@mkdir -p $(@D)
	@echo '  BPF  $<'
	$(Q)$(CLANG) -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. -Wall -Werror -c -o $@ $<

$(O)/bpf/%.skel.h: $(O)/bpf/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*) > $@.tmp
	@mv $@.tmp $@

$(BPF_HOST_SRCS:%.c=$(O)/%.o): $(BPF_SKELS)

# The programs once more, as one text that is compiled where they run.
$(O)/bpf/bcc/program_text.c: bpf/bcc/flatten.awk bpf/swaptrace.bpf.c $(wildcard bpf/*.h bpf/bcc/*.bpf.h)
	@mkdir -p $(@D)
	$(Q){ echo '#include "bpf/bcc/compile.h"'; echo 'const char bcc_program_text[] ='; \
		awk -f $< bpf/swaptrace.bpf.c | sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/'; echo ';'; } > $@

$(O)/bpf/bcc/program_text.o: $(O)/bpf/bcc/program_text.c $(O)/flags
	@echo '  CC   $<'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) -c -o $@ $<

$(O)/tests/unit/%: tests/unit/%.c $(O)/libswaptrace.a
	@mkdir -p $(@D)
	@echo '  TEST $<'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< \
		$(O)/libswaptrace.a -lcmocka $(TRACECMD_LIBS) $(ALL_LDLIBS)

$(O)/tests/golden: $(GOLDEN_OBJS) $(O)/libswaptrace.a
	@echo '  LD   $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(GOLDEN_OBJS) $(O)/libswaptrace.a $(TRACECMD_LIBS) $(ALL_LDLIBS)

# What lab/kernel-data.sh reduces kernels with.
$(O)/lab/reduce: lab/reduce.c $(O)/libswaptrace.a
	@mkdir -p $(@D)
	@echo '  LD   $@'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(O)/libswaptrace.a $(ALL_LDLIBS)

# What disturbs the program under test: see tests/faults.
FAULTS := $(O)/tests/inject $(O)/tests/no_memory.so

$(O)/tests/inject: tests/faults/inject.c $(O)/flags
	@mkdir -p $(@D)
	@echo '  TEST $<'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $<

$(O)/tests/no_memory.so: tests/faults/no_memory.c $(O)/flags
	@mkdir -p $(@D)
	@echo '  TEST $<'
	$(Q)$(CC) $(CSTD) $(ALL_CPPFLAGS) $(WARN) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -fPIC -o $@ $<

faults: $(FAULTS)

-include $(LIB_OBJS:.o=.d) $(MODEL_SRCS:%.c=$(O)/pic/%.d) $(O)/cli/main.d $(O)/import/tracedat_none.d $(UNIT_BINS:=.d) $(GOLDEN_OBJS:.o=.d)

deps:
	lab/deps.sh

unit: $(UNIT_BINS)

GOLDEN ?= $(firstword $(wildcard ../shared/golden) tests/golden)
check-golden: $(O)/tests/golden
	$(O)/tests/golden $(GOLDEN)

check:
	@tests/check.sh $(ARGS)

# What make check does a part of: every call fails, every moment is one to be killed in. Minutes.
torture: $(O)/swaptrace faults
	TORTURE=1 SWAPTRACE=$(abspath $(O)/swaptrace) bash tests/cases/faults.sh
	TORTURE=1 SWAPTRACE=$(abspath $(O)/swaptrace) bash tests/cases/kills.sh

# What it compares takes minutes of compiling under emulation.
check-bcc: swaptrace
	KERNEL=$(KERNEL) tests/guest/record-bcc.sh

demo:
	@tests/demo.sh

lab: swaptrace.static
	lab/run.sh --kernel $(KERNEL) --workload t1-cluster --recorder ./swaptrace.static --out $(O)/lab

lab-kernel:
	@LAB_KERNEL=1 lab/deps.sh
	@lab/build-kernel.sh

# Each workload on each kernel that Debian has; an hour, or KERNELS='7.3 6.12' alone.
check-kernels: swaptrace swaptrace.static
	lab/kernels.sh --recorder ./swaptrace.static --out $(O)/kernels --report docs/kernels.md \
		$(addprefix --kernel ,$(KERNELS))

# What replay predicts, held against what kernels did; misses make it fail.
fidelity: swaptrace swaptrace.static lab-kernel
	lab/fidelity.sh --recorder ./swaptrace.static --out $(O)/fidelity

# The program prints the pages itself, from the same table that its option parser uses.
man: $(O)/swaptrace
	@mkdir -p $(O)/man
	$(Q)cd $(O)/man && rm -f * && ../swaptrace help --man > swaptrace.1 && \
	for c in $$(../swaptrace help --list); do \
		../swaptrace help --man $$c > swaptrace-$$c.1 || exit 1; \
	done && \
	for s in bash zsh fish; do \
		../swaptrace help --completion $$s > completion.$$s || exit 1; \
	done

BINDIR := $(DESTDIR)$(PREFIX)/bin
# lib/x86_64-linux-gnu for packages of Debian
LIBNAME ?= lib
LIBDIR := $(DESTDIR)$(PREFIX)/$(LIBNAME)
INCDIR := $(DESTDIR)$(PREFIX)/include/swapmodel
SHARE := $(DESTDIR)$(PREFIX)/share
BASHCOMP := $(SHARE)/bash-completion/completions
ZSHCOMP := $(SHARE)/zsh/site-functions
FISHCOMP := $(SHARE)/fish/vendor_completions.d
MODEL_HEADERS := $(addprefix replay/model/,alloc.h pagevec.h readahead.h)

install: $(O)/swaptrace $(O)/libswapmodel.a $(O)/$(MODEL_SONAME) $(O)/swapmodel.pc man
	install -d "$(BINDIR)" "$(LIBDIR)/pkgconfig" "$(INCDIR)" "$(SHARE)/man/man1" "$(SHARE)/man/man5" \
		"$(SHARE)/man/man7" "$(SHARE)/doc/swaptrace" "$(SHARE)/swaptrace/samples" \
		"$(BASHCOMP)" "$(ZSHCOMP)" "$(FISHCOMP)"
	install -m 755 $(O)/swaptrace "$(BINDIR)/"
	install -m 644 $(O)/libswapmodel.a $(O)/$(MODEL_SONAME) "$(LIBDIR)/"
	ln -sf $(MODEL_SONAME) "$(LIBDIR)/libswapmodel.so"
	install -m 644 $(O)/swapmodel.pc "$(LIBDIR)/pkgconfig/"
	install -m 644 $(MODEL_HEADERS) "$(INCDIR)/"
	install -m 644 $(O)/man/*.1 "$(SHARE)/man/man1/"
	install -m 644 docs/man/*.5 "$(SHARE)/man/man5/"
	install -m 644 docs/man/*.7 "$(SHARE)/man/man7/"
	install -m 644 README.md NEWS.md CONTRIBUTING.md LICENSE "$(SHARE)/doc/swaptrace/"
	for d in docs docs/man docs/schema lab; do \
		install -d "$(SHARE)/doc/swaptrace/$$d" && \
		for f in $$d/*.md $$d/*.[57] $$d/*.json; do \
			[ ! -f $$f ] || install -m 644 $$f "$(SHARE)/doc/swaptrace/$$d/" || exit 1; \
		done || exit 1; \
	done
	install -m 644 docs/schema/*.json "$(SHARE)/swaptrace/"
	install -m 644 $(wildcard traces/samples/*) "$(SHARE)/swaptrace/samples/"
	install -m 644 $(O)/man/completion.bash "$(BASHCOMP)/swaptrace"
	install -m 644 $(O)/man/completion.zsh "$(ZSHCOMP)/_swaptrace"
	install -m 644 $(O)/man/completion.fish "$(FISHCOMP)/swaptrace.fish"

uninstall:
	rm -f "$(BINDIR)/swaptrace" "$(LIBDIR)"/libswapmodel.* "$(LIBDIR)/pkgconfig/swapmodel.pc" "$(SHARE)"/man/man1/swaptrace.1 \
		"$(SHARE)"/man/man1/swaptrace-*.1 "$(SHARE)"/man/man5/swaptrace.data.5 \
		"$(SHARE)"/man/man7/swaptrace.7 "$(BASHCOMP)/swaptrace" "$(ZSHCOMP)/_swaptrace" \
		"$(FISHCOMP)/swaptrace.fish"
	rm -rf "$(INCDIR)" "$(SHARE)/swaptrace" "$(SHARE)/doc/swaptrace"

# Packages of Debian into $(O)/deb, from what is committed; make check-deb looks at them and tries them.
deb:
	@DEB=1 lab/deps.sh
	@lab/deb.sh "$(O)/deb"

check-deb: deb
	@tests/deb.sh "$(O)/deb"

# The same bytes for everybody: from the commit, with its time.
dist:
	@mkdir -p $(O)
	@git archive --prefix=swaptrace-$(VERSION)/ HEAD | gzip -9n > $(O)/swaptrace-$(VERSION).tar.gz
	@echo $(O)/swaptrace-$(VERSION).tar.gz

check-format:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(O) swaptrace swaptrace.static

.PHONY: .FORCE all deps unit faults check torture check-format check-bcc check-kernels check-golden demo lab lab-kernel fidelity man install uninstall deb check-deb dist format clean
.DELETE_ON_ERROR:
# Without names it would mean every file, and one that is missing would not be made again.
.SECONDARY: $(BPF_SKELS) $(BPF_SKELS:.skel.h=.bpf.o)
