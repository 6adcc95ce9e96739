/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_PROBE_BPF_H
#define SWAPTRACE_BPF_PROBE_BPF_H

/*
 * A function of ours with N arguments becomes two programs: fe_NAME/fx_NAME for fentry/fexit and
 * kp_NAME/kr_NAME for kprobe/kretprobe. bpf/hooks.c says which is loaded for which symbol. Exit
 * functions get nothing but the return value, so that both kinds can share them; what they need of
 * the arguments is kept in the task's state at entry.
 */

#if defined(__TARGET_ARCH_arm64)
#define PARM(regs, i) ((regs)->regs[(i)-1])
#define RETURNED(regs) ((regs)->regs[0])
#define CALLER(regs) ((regs)->regs[30])
#else
#define PARM1(regs) ((regs)->di)
#define PARM2(regs) ((regs)->si)
#define PARM3(regs) ((regs)->dx)
#define PARM4(regs) ((regs)->cx)
#define PARM5(regs) ((regs)->r8)
#define PARM(regs, i) PARM##i(regs)
#define RETURNED(regs) ((regs)->ax)
#define CALLER(regs) read_u64((regs)->sp)
#endif

#define ENTRY0(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name();                                                                            \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name();                                                                            \
		return 0;                                                                          \
	}
#define ENTRY1(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name(ctx[0]);                                                                      \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1));                                                                \
		return 0;                                                                          \
	}
#define ENTRY2(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name(ctx[0], ctx[1]);                                                              \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1), PARM(ctx, 2));                                                  \
		return 0;                                                                          \
	}
#define ENTRY3(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name(ctx[0], ctx[1], ctx[2]);                                                      \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3));                                    \
		return 0;                                                                          \
	}
#define ENTRY4(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name(ctx[0], ctx[1], ctx[2], ctx[3]);                                              \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3), PARM(ctx, 4));                      \
		return 0;                                                                          \
	}
#define ENTRY5(name)                                                                               \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		name(ctx[0], ctx[1], ctx[2], ctx[3], ctx[4]);                                      \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1), PARM(ctx, 2), PARM(ctx, 3), PARM(ctx, 4), PARM(ctx, 5));        \
		return 0;                                                                          \
	}
/*
 * For arithmetic with the argument: fentry hands over a pointer with a type, and the verifier lets
 * nobody calculate with that.
 */
#define ENTRY1_NUMBER(name)                                                                        \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		u64 value = 0;                                                                     \
		bpf_get_func_arg(ctx, 0, &value);                                                  \
		name(value);                                                                       \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1));                                                                \
		return 0;                                                                          \
	}
/* With the return address, which only a kprobe gets. */
#define ENTRY1_CALLER(name)                                                                        \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		name(PARM(ctx, 1), CALLER(ctx));                                                   \
		return 0;                                                                          \
	}
#define EXIT0(name)                                                                                \
	SEC("fexit") int fx_##name(u64 *ctx)                                                       \
	{                                                                                          \
		name();                                                                            \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kretprobe") int kr_##name(struct pt_regs *ctx)                                        \
	{                                                                                          \
		name();                                                                            \
		return 0;                                                                          \
	}
#define EXIT1(name)                                                                                \
	SEC("fexit") int fx_##name(u64 *ctx)                                                       \
	{                                                                                          \
		u64 ret = 0;                                                                       \
		bpf_get_func_ret(ctx, &ret);                                                       \
		name(ret);                                                                         \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kretprobe") int kr_##name(struct pt_regs *ctx)                                        \
	{                                                                                          \
		name(RETURNED(ctx));                                                               \
		return 0;                                                                          \
	}

#endif
