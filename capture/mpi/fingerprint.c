/* Fingerprints of what messages carry. The algebra is what an analysis relies on; analysis/collectives has it in Go.
 *
 * hash is the remainder of the bytes, as a polynomial over GF(2) whose highest coefficient is the first bit, times
 * x^64,
 * divided by a random irreducible polynomial of degree 64. So hash(A B) = hash(A) x^(8 |B|) + hash(B), and
 * hash(A xor B) = hash(A) xor hash(B): in fields of polynomials + is xor.
 *
 * sum is that of the integers v[i] R^(n-1-i), modulo 2^64: sum(A B) = sum(A) R^|B| + sum(B), and sum(a + b) = sum(a) +
 * sum(b), exactly; if elements of less than 64 bits overflow, in as many low bits as they have.
 *
 * re + i im is the sum of the reals v[k] e^(2 pi i k TB_TURN / 2^64): F(A B) = F(A) + e^(2 pi i |A| TB_TURN / 2^64)
 * F(B),
 * and F(a + b) = F(a) + F(b), up to what rounding makes of it: size bounds that. */
#define _GNU_SOURCE
#include "mpi/fingerprint.h"
#include <pthread.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define POLYNOMIAL 0x6aaa90f9fa25c7b1ULL /* without x^64 */
#define R 0x9e3779b97f4a7c15ULL
#define TURN 0x4f1bbcdcbfa53e0bULL
enum { WAVE = 512, PIECE = 16 << 10 /* stays in the first cache */ };

static uint64_t table[8][256];
static double cosines[WAVE], sines[WAVE], far_cosines[WAVE], far_sines[WAVE]; /* after elements, and after WAVEs */
static uint64_t powers[WAVE]; /* of R, the last is 1 */
static int16_t digits[4][WAVE]; /* of powers, to the base 2^16, signed, the lowest first */
static uint64_t fold_farther[2], fold_far[2], fold_near[2]; /* x^(64 + D), x^D for D of 1024, 512 and 128 bits */
#if defined(__x86_64__)
static int has_clmul, has_wide, has_avx2;
#endif
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- Tables ---- */

static uint64_t times_x(uint64_t a) { return a << 1 ^ (a >> 63 ? POLYNOMIAL : 0); }

static uint64_t x_to(unsigned n)
{
    uint64_t a = 1;
    while (n-- > 0) a = times_x(a);
    return a;
}

/* Sine and cosine of a part of a turn, in units of 2^-64: libm is not to be loaded into the program. */
static void wave(uint64_t phase, double *cosine, double *sine)
{
    unsigned quarter = (unsigned)((phase + (1ULL << 61)) >> 62);
    double x = (double)(int64_t)(phase - ((uint64_t)quarter << 62)) * (6.283185307179586476925 / 18446744073709551616.0);
    double c = 1, s = x, term = x;
    for (int k = 2; k < 20; k++) {
        term *= x / k;
        *(k % 2 ? &s : &c) += k / 2 % 2 ? -term : term;
    }
    const double cs[4] = {c, -s, -c, s}, sn[4] = {s, c, -s, -c};
    *cosine = cs[quarter & 3];
    *sine = sn[quarter & 3];
}

static void prepare(void)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t a = (uint64_t)b << 56;
        for (int bit = 0; bit < 8; bit++) a = times_x(a);
        table[0][b] = a;
    }
    for (int k = 1; k < 8; k++)
        for (unsigned b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] << 8 ^ table[0][table[k - 1][b] >> 56];
    for (unsigned i = 0; i < WAVE; i++) {
        wave(i * TURN, &cosines[i], &sines[i]);
        wave(i * WAVE * TURN, &far_cosines[i], &far_sines[i]);
        powers[WAVE - 1 - i] = i ? powers[WAVE - i] * R : 1;
        uint64_t rest = powers[WAVE - 1 - i];
        for (int k = 0; k < 4; k++) {
            int16_t digit = (int16_t)rest;
            digits[k][WAVE - 1 - i] = digit;
            rest = (rest - (uint64_t)(int64_t)digit) >> 16;
        }
    }
    fold_farther[0] = x_to(1024 + 64), fold_farther[1] = x_to(1024);
    fold_far[0] = x_to(512 + 64), fold_far[1] = x_to(512);
    fold_near[0] = x_to(128 + 64), fold_near[1] = x_to(128);
#if defined(__x86_64__)
    __builtin_cpu_init();
    has_clmul = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
    has_wide = has_clmul && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2");
    has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
}

/* ---- The hash ---- */

static uint64_t hash_by_table(uint64_t h, const unsigned char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h ^= __builtin_bswap64(w);
        h = table[7][h >> 56] ^ table[6][h >> 48 & 255] ^ table[5][h >> 40 & 255] ^ table[4][h >> 32 & 255] ^
            table[3][h >> 24 & 255] ^ table[2][h >> 16 & 255] ^ table[1][h >> 8 & 255] ^ table[0][h & 255];
    }
    while (n-- > 0) h = h << 8 ^ table[0][h >> 56 ^ *p++];
    return h;
}

#if defined(__x86_64__)
#define CLMUL __attribute__((target("pclmul,ssse3")))

CLMUL static inline __m128i load(const unsigned char *p)
{
    const __m128i reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), reverse);
}

/* a times x^D plus b, for the D of k. */
CLMUL static inline __m128i fold(__m128i a, __m128i k, __m128i b)
{
    return _mm_xor_si128(b, _mm_xor_si128(_mm_clmulepi64_si128(a, k, 0x11), _mm_clmulepi64_si128(a, k, 0x00)));
}

CLMUL static uint64_t fold_up(__m128i a, __m128i b, __m128i c, __m128i d, const unsigned char *p, size_t n)
{
    const __m128i near = _mm_set_epi64x((long long)fold_near[0], (long long)fold_near[1]);
    a = fold(fold(fold(a, near, b), near, c), near, d);
    unsigned char rest[16];
    uint64_t high = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(a, 8)));
    uint64_t low = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(a));
    memcpy(rest, &high, 8);
    memcpy(rest + 8, &low, 8);
    return hash_by_table(hash_by_table(0, rest, 16), p, n);
}

/* For 64 bytes and more. */
CLMUL static uint64_t hash_by_folding(uint64_t h, const unsigned char *p, size_t n)
{
    const __m128i far = _mm_set_epi64x((long long)fold_far[0], (long long)fold_far[1]);
    __m128i a = _mm_xor_si128(load(p), _mm_set_epi64x((long long)h, 0)), b = load(p + 16), c = load(p + 32),
            d = load(p + 48);
    for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
        a = fold(a, far, load(p));
        b = fold(b, far, load(p + 16));
        c = fold(c, far, load(p + 32));
        d = fold(d, far, load(p + 48));
    }
    return fold_up(a, b, c, d, p, n);
}

#define WIDE __attribute__((target("vpclmulqdq,pclmul,avx2,ssse3")))

WIDE static inline __m256i load_two(const unsigned char *p)
{
    const __m256i reverse = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    return _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)p), reverse);
}

WIDE static inline __m256i fold_two(__m256i a, __m256i k, __m256i b)
{
    return _mm256_xor_si256(b, _mm256_xor_si256(_mm256_clmulepi64_epi128(a, k, 0x11),
                                                _mm256_clmulepi64_epi128(a, k, 0x00)));
}

/* For 128 bytes and more, two blocks at a time. */
WIDE static uint64_t hash_by_wide_folding(uint64_t h, const unsigned char *p, size_t n)
{
    const __m256i far = _mm256_broadcastsi128_si256(
        _mm_set_epi64x((long long)fold_farther[0], (long long)fold_farther[1]));
    const __m256i half = _mm256_broadcastsi128_si256(_mm_set_epi64x((long long)fold_far[0], (long long)fold_far[1]));
    __m256i a = _mm256_xor_si256(load_two(p), _mm256_set_epi64x(0, 0, (long long)h, 0)), b = load_two(p + 32),
            c = load_two(p + 64), d = load_two(p + 96);
    for (p += 128, n -= 128; n >= 128; p += 128, n -= 128) {
        a = fold_two(a, far, load_two(p));
        b = fold_two(b, far, load_two(p + 32));
        c = fold_two(c, far, load_two(p + 64));
        d = fold_two(d, far, load_two(p + 96));
    }
    a = fold_two(a, half, c);
    b = fold_two(b, half, d);
    return fold_up(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1), _mm256_castsi256_si128(b),
                   _mm256_extracti128_si256(b, 1), p, n);
}
#endif

static uint64_t hash(uint64_t h, const unsigned char *p, size_t n)
{
#if defined(__x86_64__)
    if (has_wide && n >= 128) return hash_by_wide_folding(h, p, n);
    if (has_clmul && n >= 64) return hash_by_folding(h, p, n);
#endif
    return hash_by_table(h, p, n);
}

/* ---- Sums ---- */

/* Of at most WAVE elements. */
#define SUM_OF(type)                                                                         \
    static uint64_t sum_##type(const void *data, size_t n)                                   \
    {                                                                                        \
        const type *v = data;                                                                \
        const uint64_t *w = powers + WAVE - n;                                               \
        uint64_t sum = 0;                                                                    \
        for (size_t i = 0; i < n; i++) sum += (uint64_t)(int64_t)v[i] * w[i];                \
        return sum;                                                                          \
    }
SUM_OF(int8_t)
SUM_OF(int16_t)
SUM_OF(int32_t)
SUM_OF(int64_t)
SUM_OF(uint8_t)
SUM_OF(uint16_t)
SUM_OF(uint32_t)
SUM_OF(uint64_t)

#if defined(__x86_64__)
/* The same, in products of 32 bits. */
#define SUM_AVX2_OF(type, four_of)                                                           \
    __attribute__((target("avx2"))) static uint64_t sum_avx2_##type(const void *data, size_t n) \
    {                                                                                        \
        const type *v = data;                                                                \
        const uint64_t *w = powers + WAVE - n;                                               \
        __m256i low = _mm256_setzero_si256(), high = low;                                    \
        size_t i = 0;                                                                        \
        for (; i + 4 <= n; i += 4) {                                                         \
            __m256i x = four_of, r = _mm256_loadu_si256((const __m256i *)(w + i));           \
            low = _mm256_add_epi64(low, _mm256_mul_epu32(x, r));                             \
            high = _mm256_add_epi64(high, _mm256_mul_epu32(_mm256_srli_epi64(x, 32), r));    \
            high = _mm256_add_epi64(high, _mm256_mul_epu32(x, _mm256_srli_epi64(r, 32)));    \
        }                                                                                    \
        uint64_t part[4], sum = 0;                                                           \
        _mm256_storeu_si256((__m256i *)part, _mm256_add_epi64(low, _mm256_slli_epi64(high, 32))); \
        for (int k = 0; k < 4; k++) sum += part[k];                                          \
        for (; i < n; i++) sum += (uint64_t)(int64_t)v[i] * w[i];                            \
        return sum;                                                                          \
    }
#define LOAD_8 _mm_loadu_si64(v + i)
#define LOAD_16 _mm_loadu_si128((const __m128i *)(v + i))
#define LOAD_32 _mm256_loadu_si256((const __m256i *)(v + i))
SUM_AVX2_OF(int16_t, _mm256_cvtepi16_epi64(LOAD_8))
SUM_AVX2_OF(int32_t, _mm256_cvtepi32_epi64(LOAD_16))
SUM_AVX2_OF(int64_t, LOAD_32)
SUM_AVX2_OF(uint16_t, _mm256_cvtepu16_epi64(LOAD_8))
SUM_AVX2_OF(uint32_t, _mm256_cvtepu32_epi64(LOAD_16))
SUM_AVX2_OF(uint64_t, LOAD_32)

/* Of single bytes, with the digits of powers: a product has 24 bits at most, and WAVE / 8 of them are summed in 32. */
#define SUM_BYTES_OF(type, sixteen_of)                                                       \
    __attribute__((target("avx2"))) static uint64_t sum_avx2_##type(const void *data, size_t n) \
    {                                                                                        \
        const type *v = data;                                                                \
        __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), \
                           _mm256_setzero_si256()};                                          \
        size_t i = 0, at = WAVE - n;                                                         \
        for (; i + 16 <= n; i += 16) {                                                       \
            __m256i x = sixteen_of(LOAD_16);                                                 \
            _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)                              \
                sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(x,                     \
                    _mm256_loadu_si256((const __m256i *)&digits[k][at + i])));               \
        }                                                                                    \
        uint64_t sum = 0;                                                                    \
        for (int k = 0; k < 4; k++) {                                                        \
            int32_t part[8];                                                                 \
            int64_t all = 0;                                                                 \
            _mm256_storeu_si256((__m256i *)part, sums[k]);                                   \
            for (int j = 0; j < 8; j++) all += part[j];                                      \
            sum += (uint64_t)all << 16 * k;                                                  \
        }                                                                                    \
        for (; i < n; i++) sum += (uint64_t)(int64_t)v[i] * powers[at + i];                  \
        return sum;                                                                          \
    }
SUM_BYTES_OF(int8_t, _mm256_cvtepi8_epi16)
SUM_BYTES_OF(uint8_t, _mm256_cvtepu8_epi16)
#endif

typedef uint64_t sum_function(const void *, size_t);
enum { INTEGERS = TB_E_UINT64 + 1 };
static sum_function *const sums[INTEGERS] = {
    NULL, sum_int8_t, sum_int16_t, sum_int32_t, sum_int64_t, sum_uint8_t, sum_uint16_t, sum_uint32_t, sum_uint64_t};

static sum_function *sum_of(int element)
{
#if defined(__x86_64__)
    static sum_function *const wide[INTEGERS] = {
        NULL, sum_avx2_int8_t, sum_avx2_int16_t, sum_avx2_int32_t, sum_avx2_int64_t, sum_avx2_uint8_t,
        sum_avx2_uint16_t, sum_avx2_uint32_t, sum_avx2_uint64_t};
    if (has_avx2) return wide[element];
#endif
    return sums[element];
}

static void add_sums(struct tb_fingerprint *f, int element, const char *p, size_t n)
{
    sum_function *of = sum_of(element);
    const uint64_t far = powers[0] * R;
    for (size_t width = (size_t)tb_element_bytes(element), m; n > 0; n -= m, p += m * width) {
        m = n < WAVE ? n : WAVE;
        f->sum = f->sum * (m == WAVE ? far : powers[WAVE - 1 - m]) + of(p, m);
        f->elements += m;
    }
}

typedef double four __attribute__((vector_size(32)));
typedef long long bits __attribute__((vector_size(32)));
typedef double four_loose __attribute__((vector_size(32), aligned(1)));
typedef float four_floats __attribute__((vector_size(16), aligned(1)));

struct waves { double re, im, size; };

/* Of at most WAVE elements. */
#define WAVE_OF(name, type, vector, ...)                                                    \
    __VA_ARGS__ static struct waves name(const void *data, size_t n)                        \
    {                                                                                       \
        const type *v = data;                                                               \
        four re = {0}, im = {0}, size = {0};                                                \
        size_t i = 0;                                                                       \
        for (; i + 4 <= n; i += 4) {                                                        \
            four x = __builtin_convertvector(*(const vector *)(v + i), four);               \
            re += x * *(const four_loose *)&cosines[i];                                     \
            im += x * *(const four_loose *)&sines[i];                                       \
            size += (four)((bits)x & 0x7fffffffffffffffLL);                                  \
        }                                                                                   \
        struct waves w = {re[0] + re[1] + re[2] + re[3], im[0] + im[1] + im[2] + im[3],     \
                          size[0] + size[1] + size[2] + size[3]};                           \
        for (; i < n; i++) {                                                                \
            w.re += (double)v[i] * cosines[i];                                              \
            w.im += (double)v[i] * sines[i];                                                \
            w.size += v[i] < 0 ? -(double)v[i] : (double)v[i];                              \
        }                                                                                   \
        return w;                                                                           \
    }
WAVE_OF(wave_float, float, four_floats, )
WAVE_OF(wave_double, double, four_loose, )
#if defined(__x86_64__)
WAVE_OF(wave_float_avx2, float, four_floats, __attribute__((target("avx2,fma"))))
WAVE_OF(wave_double_avx2, double, four_loose, __attribute__((target("avx2,fma"))))
#endif

typedef struct waves wave_function(const void *, size_t);

static wave_function *wave_of(int element)
{
#if defined(__x86_64__)
    if (has_avx2) return element == TB_E_FLOAT ? wave_float_avx2 : wave_double_avx2;
#endif
    return element == TB_E_FLOAT ? wave_float : wave_double;
}

static void add_waves(struct tb_fingerprint *f, int element, const char *p, size_t n)
{
    wave_function *of = wave_of(element);
    for (size_t width = (size_t)tb_element_bytes(element), m; n > 0; n -= m, p += m * width) {
        m = WAVE - f->elements % WAVE; /* so that equal contents are summed in the same order, however they lie */
        if (m > n) m = n;
        struct waves w = of(p, m);
        uint64_t whole = f->elements / WAVE;
        double c = far_cosines[whole % WAVE], s = far_sines[whole % WAVE];
        if (f->elements % WAVE || whole >= WAVE) wave(f->elements * TURN, &c, &s);
        f->re += w.re * c - w.im * s;
        f->im += w.re * s + w.im * c;
        f->size += w.size;
        f->elements += m;
    }
}

/* ---- All of it ---- */

int tb_element_bytes(int element)
{
    static const int bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    return bytes[element];
}

void tb_fingerprint_add(struct tb_fingerprint *f, int element, const void *data, size_t bytes)
{
    pthread_once(&once, prepare);
    const char *p = data;
    size_t width = (size_t)tb_element_bytes(element);
    for (size_t m; bytes > 0; p += m, bytes -= m) {
        m = bytes < PIECE ? bytes : PIECE;
        f->hash = hash(f->hash, (const unsigned char *)p, m);
        if (element >= TB_E_FLOAT) add_waves(f, element, p, m / width);
        else if (element != TB_E_BYTES) add_sums(f, element, p, m / width);
    }
}
