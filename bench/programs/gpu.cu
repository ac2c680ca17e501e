// Work for a GPU whose calls and results are known: gpu WHAT [N].
//
//	mixed      kernels, copies and memory that is set, in several queues and threads, graphs, calls of the driver
//	clock N    a kernel of some 100 us every 5 ms, waited for: to compare the times of calls and of kernels
//	launch N   kernels that do nothing, waited for after each thousand; prints the calls and the nanoseconds that they took
//	error      an access out of bounds, which all later calls report
//	reset      the device is reset in the middle
//	fork       a child that leaves the GPU alone, and one that uses it after exec
//	leave      _exit while kernels are under way
//	kill       SIGKILL after the last wait
//
// Of what is called it prints how often ("calls NAME N"), then a sum of the results.
#include <cuda.h>
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::map<std::string, long> calls;

#define CALL(function, ...) (calls[#function]++, check(#function, (int)function(__VA_ARGS__)))

static void check(const char *what, int result)
{
    if (result == 0) return;
    printf("%s: %d\n", what, result);
    exit(3);
}

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

__global__ void nothing() {}

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}

__global__ void spin(long long cycles)
{
    long long end = clock64() + cycles;
    while (clock64() < end) {}
}

__global__ void outside(int *x) { x[(size_t)1 << 40] = 1; }

extern "C" __global__ void by_driver(int *x) { x[threadIdx.x] += 1000; }

enum { N = 1 << 16, BYTES = N * 4, STEPS = 20 };

template <typename... P>
static void launch(void (*kernel)(P...), dim3 grid, dim3 block, cudaStream_t q, P... values)
{
    void *args[] = {(void *)&values...};
    CALL(cudaLaunchKernel, (const void *)kernel, grid, block, args, 0, q);
}

// One step on a queue: what is copied to the GPU, changed there, and copied back.
static long step(int *device, int *host, cudaStream_t q, int s)
{
    for (int i = 0; i < N; i++) host[i] = i % 7;
    CALL(cudaMemcpyAsync, device, host, BYTES, cudaMemcpyHostToDevice, q);
    CALL(cudaMemsetAsync, device, 0, 4096, q);
    launch(add, dim3(N / 256), dim3(256), q, device, (int)N, s);
    if (s % 3 == 0) launch(add, dim3(N / 128), dim3(128), q, device, (int)N, 1);
    CALL(cudaMemcpyAsync, host, device, BYTES, cudaMemcpyDeviceToHost, q);
    CALL(cudaStreamSynchronize, q);
    long sum = 0;
    for (int i = 0; i < N; i++) sum += host[i];
    return sum;
}

static long graphs(int *device, cudaStream_t q)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check("begin", cudaStreamBeginCapture(q, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; i++) launch(add, dim3(64), dim3(256), q, device, (int)N, i);
    check("end", cudaStreamEndCapture(q, &graph));
    check("ready", cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 10; i++) CALL(cudaGraphLaunch, ready, q);
    CALL(cudaStreamSynchronize, q);
    check("gone", cudaGraphExecDestroy(ready));
    check("gone", cudaGraphDestroy(graph));
    return 10;
}

// A kernel is loaded and launched by the driver's functions, as libraries that compile while they run do.
static void driver(int *device)
{
    void *launch_it = NULL, *to_device = NULL;
    cudaDriverEntryPointQueryResult found;
    check("entry", cudaGetDriverEntryPointByVersion("cuLaunchKernel", &launch_it, 12000, cudaEnableDefault, &found));
    check("entry", cudaGetDriverEntryPointByVersion("cuMemcpyHtoD", &to_device, 12000, cudaEnableDefault, &found));
    cudaFunction_t f;
    check("function", cudaGetFuncBySymbol(&f, (const void *)by_driver));
    void *args[] = {&device};
    for (int i = 0; i < 5; i++) {
        calls["cuLaunchKernel"]++;
        check("cuLaunchKernel", ((decltype(&cuLaunchKernel))launch_it)((CUfunction)f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    }
    int value = 5;
    calls["cuMemcpyHtoD"]++;
    check("cuMemcpyHtoD", ((decltype(&cuMemcpyHtoD))to_device)((CUdeviceptr)device, &value, sizeof value));
    CALL(cudaDeviceSynchronize);
}

static long mixed()
{
    enum { QUEUES = 3 };
    int *device, *host, *managed, *wide;
    size_t pitch;
    cudaStream_t q[QUEUES] = {};
    cudaEvent_t event;
    long sum = 0;
    CALL(cudaMalloc, &device, BYTES);
    CALL(cudaHostAlloc, &host, BYTES, cudaHostAllocDefault);
    CALL(cudaMallocPitch, &wide, &pitch, 1000, 10);
    CALL(cudaMallocManaged, &managed, 4096, cudaMemAttachGlobal);
    CALL(cudaStreamCreate, &q[1]);
    CALL(cudaStreamCreateWithFlags, &q[2], cudaStreamNonBlocking);
    check("event", cudaEventCreate(&event));
    for (int s = 0; s < STEPS; s++)
        for (cudaStream_t one : q) sum += step(device, host, one, s);
    CALL(cudaEventRecord, event, q[1]);
    CALL(cudaStreamWaitEvent, q[2], event, 0);
    CALL(cudaMemcpy2DAsync, wide, pitch, host, 1000, 1000, 10, cudaMemcpyHostToDevice, q[1]);
    CALL(cudaMemcpyAsync, device, wide, 4096, cudaMemcpyDeviceToDevice, q[1]);
    CALL(cudaEventSynchronize, event);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2, 2, 2), config.blockDim = dim3(8, 4, 2), config.stream = q[2];
    int n = 100, by = 1;
    void *args[] = {&device, &n, &by};
    CALL(cudaLaunchKernelExC, &config, (const void *)add, args);
    CALL(cudaLaunchCooperativeKernel, (const void *)add, dim3(4), dim3(64), args, 0, q[2]);
    CALL(cudaStreamSynchronize, q[1]);
    CALL(cudaMemcpy, host, device, BYTES, cudaMemcpyDeviceToHost);
    CALL(cudaMemset, device, 0, BYTES);
    sum += graphs(device, q[1]);
    driver(device);
    std::vector<std::thread> threads;
    std::vector<long> sums(4);
    std::vector<std::map<std::string, long>> counts(4);
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] { // each its own queue, whose number depends on who comes first
            cudaStream_t own;
            check("own", cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, 0));
            for (int s = 0; s < STEPS; s++) nothing<<<1, 32 * (i + 1), 0, own>>>();
            check("own", cudaStreamSynchronize(own));
            check("own", cudaStreamDestroy(own));
        });
    for (auto &t : threads) t.join();
    calls["cudaStreamCreateWithPriority"] += 4, calls["cudaLaunchKernel"] += 4 * STEPS;
    calls["cudaStreamSynchronize"] += 4, calls["cudaStreamDestroy"] += 4;
    managed[0] = 1;
    launch(add, dim3(1), dim3(64), q[2], managed, 64, 41);
    CALL(cudaDeviceSynchronize);
    sum += managed[0];
    CALL(cudaFree, device);
    CALL(cudaFree, wide);
    CALL(cudaFree, managed);
    CALL(cudaFreeHost, host);
    CALL(cudaStreamDestroy, q[1]);
    CALL(cudaStreamDestroy, q[2]);
    return sum;
}

static long clocks(long n)
{
    for (long i = 0; i < n; i++) {
        spin<<<1, 1>>>(150000);
        check("wait", cudaStreamSynchronize(0));
        usleep(5000);
    }
    return n;
}

static long launches(long n)
{
    nothing<<<1, 1>>>();
    check("wait", cudaDeviceSynchronize());
    double begin = now();
    for (long i = 0; i < n; i++) {
        nothing<<<1, 1>>>();
        if (i % 1000 == 999) check("wait", cudaStreamSynchronize(0));
    }
    check("wait", cudaDeviceSynchronize());
    printf("%ld %.0f\n", n, now() - begin);
    return n;
}

static long fault()
{
    outside<<<1, 1>>>(NULL);
    int first = (int)cudaDeviceSynchronize(), then = (int)cudaDeviceSynchronize();
    printf("%d %d\n", first, then);
    exit(5);
}

static long reset()
{
    long sum = 0;
    for (int i = 0; i < 2; i++) {
        int *device, *host = new int[N];
        check("malloc", cudaMalloc(&device, BYTES));
        sum += step(device, host, 0, i);
        check("reset", cudaDeviceReset());
        delete[] host;
    }
    return sum;
}

static long forks(char **argv)
{
    int *device, *host = new int[N], status[2];
    check("malloc", cudaMalloc(&device, BYTES));
    long sum = step(device, host, 0, 1);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0 && i == 1) execl(argv[0], argv[0], "reset", (char *)NULL);
        if (child == 0) exit(7); // with its atexit handlers, as Python's workers
        waitpid(child, &status[i], 0);
    }
    printf("%d %d\n", WEXITSTATUS(status[0]), WEXITSTATUS(status[1]));
    return sum + step(device, host, 0, 2);
}

static long leave()
{
    for (int i = 0; i < 10; i++) spin<<<1, 1>>>(100000000);
    printf("left\n");
    fflush(stdout);
    _exit(9);
}

int main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0, sum = 0;
    if (what == "mixed" || what == "kill") sum = mixed();
    else if (what == "clock") sum = clocks(n);
    else if (what == "launch") return launches(n) != n;
    else if (what == "error") sum = fault();
    else if (what == "reset") sum = reset();
    else if (what == "fork") sum = forks(argv);
    else if (what == "leave") sum = leave();
    else return 2;
    for (auto &c : calls) printf("calls %s %ld\n", c.first.c_str(), c.second);
    printf("sum %ld\n", sum);
    fflush(stdout);
    if (what == "kill") raise(SIGKILL);
    return 0;
}
