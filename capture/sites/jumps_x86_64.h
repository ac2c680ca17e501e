/* Part of jumps.c: instructions of x86-64. */

enum { JUMP_LEAST = 2, JUMP_STEP = 1 };

/* Where an instruction leads whose last four bytes, at a, count from its end. */
static uintptr_t relative(uintptr_t a)
{
    int32_t by;
    memcpy(&by, (const void *)a, sizeof by);
    return a + 4 + (uintptr_t)(intptr_t)by;
}

/* The symbol that the entry of the procedure linkage table at a jumps to, NULL if it is none:
 * [endbr64] [bnd] jmp *slot(%rip). */
static const char *name_of_stub(const struct tb_module *m, uintptr_t a)
{
    const uint8_t *p = (const uint8_t *)a;
    if (!in_code(m, a, 16)) return NULL;
    if (memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0) p += 4;
    if (*p == 0xf2) p++;
    return p[0] == 0xff && p[1] == 0x25 ? name_of_slot(m, relative((uintptr_t)p + 2)) : NULL;
}

/* The jump at a in the function [low, high). */
static struct jump jump_at(uintptr_t low, uintptr_t high, uintptr_t a)
{
    const uint8_t *p = (const uint8_t *)a;
    (void)low;
    if (a + 6 <= high && p[0] == 0xff && p[1] == 0x25) /* jmp *slot(%rip) */
        return (struct jump){6, 0, relative(a + 2)};
    if (p[0] == 0xeb || (p[0] & 0xf0) == 0x70) return (struct jump){2, a + 2 + (uintptr_t)(intptr_t)(int8_t)p[1], 0};
    unsigned n = p[0] == 0xe9 ? 5 : p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 6 : 0;
    if (n == 0 || a + n > high) return (struct jump){0, 0, 0};
    return (struct jump){n, relative(a + n - 4), 0};
}

/* Whether the instruction before the address can be a call through a register
 * or through memory other than the global offset table. */
static int after_indirect_call(const struct tb_module *m, uintptr_t a)
{
    const uint8_t *p = (const uint8_t *)a;
    if (!in_code(m, a - 8, 8)) return 0;
    if (p[-5] == 0xe8 && in_code(m, relative(a - 4), 1)) return 0;
    for (int n = 2; n <= 7; n++) { /* ff /2 with its operand; a prefix before it does not matter */
        unsigned mode = p[1 - n] >> 6, base = p[1 - n] & 7, sib = base == 4 && mode != 3;
        if (p[-n] != 0xff || (p[1 - n] >> 3 & 7) != 2) continue;
        unsigned fixed = mode == 0 && base == 5, bytes = 2 + sib + (mode == 1 ? 1 : mode == 2 || fixed ? 4 : 0);
        if (mode == 0 && sib && (p[2 - n] & 7) == 5) bytes += 4;
        if (bytes == (unsigned)n) return !fixed || !name_of_slot(m, relative(a - 4));
    }
    return 0;
}
