/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_PROBE_BPF_H
#define SWAPTRACE_BPF_PROBE_BPF_H

/*
 * A function of ours with N arguments becomes two programs: fe_NAME/fx_NAME for fentry/fexit and
 * kp_NAME/kr_NAME for kprobe/kretprobe. bpf/hooks.c says which is loaded for which symbol. Exit
 * functions get nothing but the return value, so that both kinds can share them; what they need of
 * the arguments is kept in the task's state at entry.
 */

#define REGS(ctx) ((struct pt_regs *)(ctx))
#if defined(__TARGET_ARCH_arm64)
#define PARM(ctx, i) (REGS(ctx)->regs[(i)-1])
#define RETURNED(ctx) (REGS(ctx)->regs[0])
#define CALLER(ctx) (REGS(ctx)->regs[30])
#else
#define PARM1(ctx) (REGS(ctx)->di)
#define PARM2(ctx) (REGS(ctx)->si)
#define PARM3(ctx) (REGS(ctx)->dx)
#define PARM4(ctx) (REGS(ctx)->cx)
#define PARM5(ctx) (REGS(ctx)->r8)
#define PARM(ctx, i) PARM##i(ctx)
#define RETURNED(ctx) (REGS(ctx)->ax)
#define CALLER(ctx) read_u64(REGS(ctx)->sp)
#endif

#define ENTRY0(name)                                                                               \
	PROGRAM_FENTRY(name, name())                                                               \
	PROGRAM_KPROBE(name, name())
#define ENTRY1(name)                                                                               \
	PROGRAM_FENTRY(name, name(ctx[0]))                                                         \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1)))
#define ENTRY2(name)                                                                               \
	PROGRAM_FENTRY(name, name(ctx[0], ctx[1]))                                                 \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1), PARM(ctx, 2)))
#define ENTRY3(name)                                                                               \
	PROGRAM_FENTRY(name, name(ctx[0], ctx[1], ctx[2]))                                         \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3)))
#define ENTRY4(name)                                                                               \
	PROGRAM_FENTRY(name, name(ctx[0], ctx[1], ctx[2], ctx[3]))                                 \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3), PARM(ctx, 4)))
#define ENTRY5(name)                                                                               \
	PROGRAM_FENTRY(name, name(ctx[0], ctx[1], ctx[2], ctx[3], ctx[4]))                         \
	PROGRAM_KPROBE(name,                                                                       \
		       name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3), PARM(ctx, 4), PARM(ctx, 5)))
/*
 * For arithmetic with the argument: fentry hands over a pointer with a type, and the verifier lets
 * nobody calculate with that.
 */
#define ENTRY1_NUMBER(name)                                                                        \
	PROGRAM_FENTRY(name, u64 value = 0; bpf_get_func_arg(ctx, 0, &value); name(value))         \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1)))
#define NUMBER(i)                                                                                  \
	({                                                                                         \
		u64 value_ = 0;                                                                    \
		bpf_get_func_arg(ctx, i, &value_);                                                 \
		value_;                                                                            \
	})
#define ENTRY2_NUMBER(name)                                                                        \
	PROGRAM_FENTRY(name, name(NUMBER(0), NUMBER(1)))                                           \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1), PARM(ctx, 2)))
#define ENTRY4_NUMBER(name)                                                                        \
	PROGRAM_FENTRY(name, name(NUMBER(0), NUMBER(1), NUMBER(2), NUMBER(3)))                     \
	PROGRAM_KPROBE(name, name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3), PARM(ctx, 4)))
/* With the return address, which only a kprobe gets. */
#define ENTRY1_CALLER(name) PROGRAM_KPROBE(name, name(PARM(ctx, 1), CALLER(ctx)))
#define EXIT0(name)                                                                                \
	PROGRAM_FEXIT(name, name())                                                                \
	PROGRAM_KRETPROBE(name, name())
#define EXIT1(name)                                                                                \
	PROGRAM_FEXIT(name, u64 ret = 0; bpf_get_func_ret(ctx, &ret); name(ret))                   \
	PROGRAM_KRETPROBE(name, name(RETURNED(ctx)))

#endif
