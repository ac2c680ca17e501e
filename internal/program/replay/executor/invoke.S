//go:build ignore

/* uint64_t rp_invoke(void *function, const uint64_t *words, uint64_t n, const void *site)
 *
 * Calls a function whose parameters are n words (words has room for 8). The call instruction is the one at site, one of RP_SITES in
 * rp_sites, so that a tracer sees as many call sites as the recorded program had. */
#define SITES 16384
	.text
#if defined(__x86_64__)
	.globl	rp_invoke
	.hidden	rp_invoke
	.type	rp_invoke, @function
	.p2align 4
rp_invoke:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, %r11
	movq	%rsi, %rax
	movq	%rcx, %r10
	cmpq	$6, %rdx
	ja	3f
1:	movq	(%rax), %rdi
	movq	8(%rax), %rsi
	movq	16(%rax), %rdx
	movq	24(%rax), %rcx
	movq	32(%rax), %r8
	movq	40(%rax), %r9
	xorl	%eax, %eax
	jmpq	*%r10
3:	testb	$1, %dl
	je	4f
	subq	$8, %rsp
4:	pushq	-8(%rax,%rdx,8)
	decq	%rdx
	cmpq	$6, %rdx
	ja	4b
	jmp	1b
	.p2align 3
	.globl	rp_sites
	.hidden	rp_sites
rp_sites:
	.rept	SITES
	callq	*%r11
	.byte	0xe9
	.long	2f - . - 4
	.endr
2:	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size	rp_invoke, . - rp_invoke
#elif defined(__aarch64__)
	.globl	rp_invoke
	.hidden	rp_invoke
	.type	rp_invoke, %function
	.p2align 4
rp_invoke:
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	mov	x16, x0
	mov	x9, x1
	mov	x17, x3
	cmp	x2, #8
	b.ls	1f
	sub	x10, x2, #7
	and	x10, x10, #-2
	sub	sp, sp, x10, lsl #3
	sub	x11, x2, #8
4:	sub	x11, x11, #1
	add	x12, x9, #64
	ldr	x13, [x12, x11, lsl #3]
	str	x13, [sp, x11, lsl #3]
	cbnz	x11, 4b
1:	ldp	x0, x1, [x9]
	ldp	x2, x3, [x9, #16]
	ldp	x4, x5, [x9, #32]
	ldp	x6, x7, [x9, #48]
	br	x17
	.p2align 3
	.globl	rp_sites
	.hidden	rp_sites
rp_sites:
	.rept	SITES
	blr	x16
	b	2f
	.endr
2:	mov	sp, x29
	.cfi_def_cfa_register 31
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	rp_invoke, . - rp_invoke
#else
#error this processor is not supported
#endif
	.section .note.GNU-stack, "", %progbits
