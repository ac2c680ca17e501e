/* Encoders of arrays and strings. */
#include "core/core.h"
#include "memory/memory.h"

int tb_array_room(struct tb_call *c, int64_t n, int element_bytes)
{
    const uint64_t most = (uint64_t)1 << 45;
    uint64_t words = (uint64_t)n > most ? most : ((uint64_t)n * (uint64_t)element_bytes + 7) / 8;
    return tb_room(c, words + 1);
}

void tb_put_bytes(struct tb_call *c, const void *a, int64_t n, int element_bytes)
{
    if (!tb_array_room(c, n, element_bytes)) return;
    uint64_t bytes = (uint64_t)n * (uint64_t)element_bytes, words = (bytes + 7) / 8;
    c->w[0] = tb_count_word(n, TB_A_PLAIN, element_bytes);
    c->w[words] = words ? 0 : c->w[0];
    memcpy(c->w + 1, a, bytes);
    c->w += words + 1;
}

void tb_put_ints(struct tb_call *c, const void *a, int64_t n, int element_bytes)
{
    tb_put_bytes(c, a, n < 0 || !a ? 0 : n, element_bytes);
}

void tb_put_displacements(struct tb_call *c, const void *a, int64_t n)
{
    const uint64_t *d = a;
    if (n < 0 || !a) n = 0;
    if (!tb_array_room(c, n, 8)) return;
    *c->w++ = tb_count_word(n, TB_A_PLAIN, 8);
    for (int64_t i = 0; i < n; i++) {
        if (!tb_room(c, (uint64_t)(n - i))) return; /* tb_seg_word may have used some */
        uint64_t word = tb_displacement_word(c, d[i]); /* moves c->w */
        *c->w++ = word;
    }
}

void tb_put_string(struct tb_call *c, const char *s)
{
    tb_put_bytes(c, s, s ? (int64_t)strlen(s) : 0, 1);
}

static int64_t list_length(void *const *a, int64_t n)
{
    if (!a) return 0;
    if (n >= 0) return n;
    for (n = 0; a[n]; n++) {}
    return n;
}

void tb_put_strings(struct tb_call *c, char *const *a, int64_t n)
{
    n = list_length((void *const *)a, n);
    if (!tb_room(c, 1)) return;
    *c->w++ = tb_count_word(n, TB_A_LIST, 8);
    for (int64_t i = 0; i < n; i++) tb_put_string(c, a[i]);
}

void tb_put_strings2(struct tb_call *c, char **const *a, int64_t n)
{
    n = list_length((void *const *)a, n);
    if (!tb_room(c, 1)) return;
    *c->w++ = tb_count_word(n, TB_A_LIST, 8);
    for (int64_t i = 0; i < n; i++) tb_put_strings(c, a[i], -1);
}
