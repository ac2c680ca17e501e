/* Regions by all interfaces that are known: ours, and what NVTX, ITT and Kokkos do to find a tool. Without one the others
 * are not there, and the program does the same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../include/tabard.h"

static void *tool(const char *variable, const char *function)
{
    const char *path = getenv(variable);
    void *lib = path ? dlopen(path, RTLD_NOW) : NULL;
    return lib ? dlsym(lib, function) : NULL;
}

/* NVTX: tables of pointers to function pointers. */
static int (*nvtx_push)(const char *);
static int (*nvtx_pop)(void);
static void (**core[16])(void);
static int functions(int module, void (****table)(void), unsigned *size)
{
    if (module != 1) return 0;
    *table = core, *size = 16;
    return 1;
}
static const struct { size_t size; int (*functions)(int, void (****)(void), unsigned *); } callbacks = {
    sizeof callbacks, functions};
static const void *export_table(uint32_t id) { return id == 1 ? &callbacks : NULL; }

static void start_nvtx(void)
{
    int (*start)(const void *(*)(uint32_t)) = tool("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2");
    core[9] = (void (**)(void))&nvtx_push, core[11] = (void (**)(void))&nvtx_pop;
    if (start && !start(export_table)) abort();
}

/* ITT: a list of functions by name. */
struct id { unsigned long long d[3]; };
struct text { const char *text; };
static void (*itt_begin)(const void *, struct id, struct id, struct text *);
static void (*itt_end)(const void *);
static struct { const char *name; void **function; void *init, *null; int group; } itt_list[] = {
    {"__itt_task_begin", (void **)&itt_begin, NULL, NULL, 0}, {"__itt_task_end", (void **)&itt_end, NULL, NULL, 0},
    {NULL, NULL, NULL, NULL, 0}};
static struct {
    unsigned char magic[8];
    unsigned long version[3];
    volatile long state[3];
    pthread_mutex_t mutex;
    void *lib, *handler;
    const char **path;
    void *list;
} itt_global = {.list = itt_list};

static void start_itt(void)
{
    void (*start)(void *, int) = tool("INTEL_LIBITTNOTIFY64", "__itt_api_init");
    if (start) start(&itt_global, -1);
}

/* Kokkos: functions of the tool. */
static struct { unsigned char requires_global_fencing, padding[255]; } settings = {.requires_global_fencing = 1};
static void (*kernel_begin)(const char *, uint32_t, uint64_t *), (*kernel_end)(uint64_t);
static void start_kokkos(void)
{
    void (*request)(uint32_t, void *) = tool("KOKKOS_TOOLS_LIBS", "kokkosp_request_tool_settings");
    if (!request) return;
    request(1, &settings);
    if (settings.requires_global_fencing) abort();
    kernel_begin = tool("KOKKOS_TOOLS_LIBS", "kokkosp_begin_parallel_for");
    kernel_end = tool("KOKKOS_TOOLS_LIBS", "kokkosp_end_parallel_for");
}

static void deep(int n)
{
    tabard_region_begin("deep");
    if (n > 1) deep(n - 1);
    tabard_region_end();
}

static void *in_thread(void *unused)
{
    tabard_region_begin("thread");
    tabard_region_end();
    return unused;
}

int main(int argc, char **argv)
{
    char name[32];
    uint64_t kernel = 1;
    struct id none = {{0, 0, 0}};
    struct text task = {"itt task"};
    tabard_region_begin("program"); /* ends after MPI_Finalize */
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_nvtx(), start_itt(), start_kokkos();
    tabard_region_end(), tabard_region_end(); /* one too many */
    tabard_region_begin("program");
    for (int step = 0; step < 20; step++) {
        tabard_region_begin("step");
        snprintf(name, sizeof name, "part %d", step % 2); /* the same memory, another name */
        tabard_region_begin(name);
        MPI_Barrier(MPI_COMM_WORLD);
        tabard_region_end();
        if (nvtx_push) nvtx_push("nvtx range"), nvtx_pop();
        if (itt_begin) itt_begin(NULL, none, none, &task), itt_end(NULL);
        if (kernel_begin) kernel_begin("kernel", 0, &kernel), kernel_end(kernel);
        tabard_region_value("error", 1.0 / (1 + step));
        tabard_region_end();
    }
    deep(3);
    tabard_region_mark("done");
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    tabard_region_begin("never ends");
    MPI_Finalize();
    tabard_region_end();
    if (rank == 0) printf("regions done\n");
    return 0;
}
