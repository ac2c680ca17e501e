/* Part of jumps.c: instructions of AArch64. There is no call or jump through memory: the address is
 * loaded into a register first, so what a register holds is looked for in the instructions
 * before. */

enum { JUMP_LEAST = 4, JUMP_STEP = 4, WINDOW = 64 };

static uint32_t code_at(uintptr_t a)
{
    uint32_t code;
    memcpy(&code, (const void *)a, sizeof code);
    return code;
}

static intptr_t with_sign(uint32_t v, unsigned bits) { return (int32_t)(v << (32 - bits)) >> (32 - bits); }

static int is_adrp(uint32_t code, unsigned reg) { return (code & 0x9f00001f) == (0x90000000 | reg); }

/* The page that adrp at a yields. */
static uintptr_t page_of(uintptr_t a)
{
    uint32_t code = code_at(a);
    return (a & ~(uintptr_t)4095) + (uintptr_t)with_sign((code >> 5 & 0x7ffff) << 2 | (code >> 29 & 3), 21) * 4096;
}

/* Whether the register may have another value after the instruction than before. In doubt it
 * has. */
static int writes(uint32_t code, unsigned reg)
{
    if ((code & 0x1c000000) == 0x14000000) /* branches; calls keep the registers from 19 on */
        return reg <= 18 && ((code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000);
    if ((code & 0x0a400000) == 0x08000000) return 0; /* stores */
    return (code & 31) == reg || ((code & 0x3a000000) == 0x28000000 && (code >> 10 & 31) == reg);
}

/* The last instruction in [low, a) that writes the register, 0 if it is not to be found. */
static uintptr_t writer(uintptr_t low, uintptr_t a, unsigned reg)
{
    for (int i = 0; i < WINDOW && a - low >= 4 && a > low; i++)
        if (writes(code_at(a -= 4), reg)) return a;
    return 0;
}

/* The slot that the register was loaded from: adrp page; ldr reg, [page, #offset]. 0 if it was
 * not. */
static uintptr_t slot_in(uintptr_t low, uintptr_t a, unsigned reg)
{
    uintptr_t load = writer(low, a, reg);
    if (!load || (code_at(load) & 0xffc00000) != 0xf9400000) return 0;
    unsigned base = code_at(load) >> 5 & 31;
    uintptr_t page = writer(low, load, base);
    return page && is_adrp(code_at(page), base) ? page_of(page) + (code_at(load) >> 10 & 4095) * 8 : 0;
}

/* The symbol that the entry of the procedure linkage table at a jumps to, NULL if it is none:
 * [bti c] adrp x16; ldr x17, [x16, #offset]; add x16, x16, #offset; ...; br x17. */
static const char *name_of_stub(const struct tb_module *m, uintptr_t a)
{
    if (a % 4 || !in_code(m, a, 16)) return NULL;
    if (code_at(a) == 0xd503245f) a += 4;
    if (!is_adrp(code_at(a), 16) || (code_at(a + 4) & 0xffc003ff) != 0xf9400211) return NULL;
    return name_of_slot(m, slot_in(a, a + 8, 17));
}

/* The jump at a in the function [low, high). */
static struct jump jump_at(uintptr_t low, uintptr_t high, uintptr_t a)
{
    uint32_t code = code_at(a);
    (void)high;
    if ((code & 0xfc000000) == 0x14000000) return (struct jump){4, a + (uintptr_t)with_sign(code, 26) * 4, 0}; /* b */
    if ((code & 0xfffffc1f) != 0xd61f0000) return (struct jump){0, 0, 0}; /* br */
    uintptr_t slot = slot_in(low, a, code >> 5 & 31);
    return (struct jump){slot ? 4 : 0, 0, slot};
}

/* Whether the instruction before the address is a call through a register that does not hold what
 * the global offset table does. */
static int after_indirect_call(const struct tb_module *m, uintptr_t a)
{
    if (a % 4 || !in_code(m, a - 4, 4) || (code_at(a - 4) & 0xfffffc1f) != 0xd63f0000) return 0; /* blr */
    uintptr_t slot = slot_in(m->code, a - 4, code_at(a - 4) >> 5 & 31);
    return !slot || !name_of_slot(m, slot);
}
