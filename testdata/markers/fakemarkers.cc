// A stand-in for the libraries of ROCTX, LIKWID and Caliper: functions of their interfaces that count. Some call others
// of the same interface, as the real ones do.
#include <cstdint>
#include <cstdio>
static int level, calls;
extern "C" {
int roctxRangePushA(const char *) { calls++; return level++; }
int roctxRangePop(void) { calls++; return --level; }
void roctxMarkA(const char *) { calls++; }
int likwid_markerStartRegion(const char *) { calls++; return 0; }
int likwid_markerStopRegion(const char *) { calls++; return 0; }
void cali_begin_string(uint64_t, const char *) { calls++; }
void cali_begin_int(uint64_t, int) { calls++; }
void cali_end(uint64_t) { calls++; }
void cali_begin_region(const char *name) { cali_begin_string(1, name); }
void cali_end_region(const char *) { cali_end(1); }
void cali_begin_phase(const char *name) { cali_begin_string(2, name); }
void cali_end_phase(const char *) { cali_end(2); }
void cali_begin_string_byname(const char *, const char *value) { cali_begin_string(3, value); }
void cali_end_byname(const char *) { cali_end(3); }
int markers_calls(void) { return calls; }
}
namespace cali {
class Function { public: Function(const char *name); ~Function(); };
class ScopeAnnotation { public: ScopeAnnotation(const char *name); ~ScopeAnnotation(); };
Function::Function(const char *name) { cali_begin_region(name); }
Function::~Function() { cali_end_region(""); }
ScopeAnnotation::ScopeAnnotation(const char *name) { cali_begin_region(name); }
ScopeAnnotation::~ScopeAnnotation() { cali_end_region(""); }
}
