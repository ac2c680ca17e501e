// A program with the annotations of ROCTX, LIKWID and Caliper. It prints what the library was called for, and what it
// returned, which is the same with and without recording.
#include <cstdint>
#include <cstdio>
extern "C" {
int roctxRangePushA(const char *);
int roctxRangePop(void);
void roctxMarkA(const char *);
int likwid_markerStartRegion(const char *);
int likwid_markerStopRegion(const char *);
void cali_begin_string(uint64_t, const char *);
void cali_begin_int(uint64_t, int);
void cali_end(uint64_t);
void cali_begin_region(const char *);
void cali_end_region(const char *);
void cali_begin_phase(const char *);
void cali_end_phase(const char *);
void cali_begin_string_byname(const char *, const char *);
void cali_end_byname(const char *);
int markers_calls(void);
}
namespace cali {
class Function { public: Function(const char *name); ~Function(); };
class ScopeAnnotation { public: ScopeAnnotation(const char *name); ~ScopeAnnotation(); };
}

static void work(int i)
{
    cali::Function f("work");
    cali::ScopeAnnotation s(i % 2 ? "odd" : "even");
}

int main()
{
    cali_begin_phase("main phase");
    cali_begin_string(7, "loop");
    for (int i = 0; i < 10; i++) {
        cali_begin_int(8, i); // a number: no region, and neither is its end
        cali_begin_region("body");
        work(i);
        cali_end_region("body");
        cali_end(8);
    }
    cali_end(7);
    cali_begin_string_byname("solver", "cg");
    cali_end_byname("solver");
    cali_end_phase("main phase");
    int a = roctxRangePushA("outer"), b = roctxRangePushA("inner");
    roctxMarkA("moment");
    int c = roctxRangePop(), d = roctxRangePop();
    likwid_markerStartRegion("measured");
    likwid_markerStopRegion("measured");
    std::printf("markers done: %d calls, %d %d %d %d\n", markers_calls(), a, b, c, d);
}
