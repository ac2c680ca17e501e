/* Kokkos Tools: Kokkos loads what KOKKOS_TOOLS_LIBS names, and calls these functions of it. */
#include "regions/regions.h"

/* As in Kokkos' C interface. */
struct tool_settings { unsigned char requires_global_fencing, padding[255]; };
struct space_handle { char name[64]; };

TB_EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *info)
{
    (void)sequence, (void)version, (void)devices, (void)info;
}

/* Unless told so, Kokkos waits for the device before and after each kernel. */
TB_EXPORT void kokkosp_request_tool_settings(uint32_t n, struct tool_settings *settings)
{
    (void)n;
    settings->requires_global_fencing = 0;
}

TB_EXPORT void kokkosp_finalize_library(void) {}

#define KERNEL(kind) \
    TB_EXPORT void kokkosp_begin_parallel_##kind(const char *name, uint32_t device, uint64_t *kernel) \
    { \
        (void)device; \
        *kernel = 0; \
        tb_region_begin(name, "kokkos parallel_" #kind, TB_CALLER); \
    } \
    TB_EXPORT void kokkosp_end_parallel_##kind(uint64_t kernel) { (void)kernel, tb_region_end(TB_CALLER); }
KERNEL(for)
KERNEL(reduce)
KERNEL(scan)

TB_EXPORT void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *fence)
{
    (void)device;
    *fence = 0;
    tb_region_begin(name, "kokkos fence", TB_CALLER);
}
TB_EXPORT void kokkosp_end_fence(uint64_t fence) { (void)fence, tb_region_end(TB_CALLER); }

TB_EXPORT void kokkosp_begin_deep_copy(struct space_handle to, const char *name, const void *address,
                                       struct space_handle from, const char *source, const void *source_address,
                                       uint64_t bytes)
{
    (void)to, (void)address, (void)from, (void)source, (void)source_address, (void)bytes;
    tb_region_begin(name, "kokkos deep_copy", TB_CALLER);
}
TB_EXPORT void kokkosp_end_deep_copy(void) { tb_region_end(TB_CALLER); }

TB_EXPORT void kokkosp_push_profile_region(const char *name) { tb_region_begin(name, "kokkos", TB_CALLER); }
TB_EXPORT void kokkosp_pop_profile_region(void) { tb_region_end(TB_CALLER); }
TB_EXPORT void kokkosp_profile_event(const char *name) { tb_region_mark(name, "kokkos", TB_CALLER); }
