// What OpenMP programs do besides: exceptions inside of regions and tasks, a fork in a region, loops that are cancelled,
// functions with constructs that are called from anywhere, loops of tasks, threads that end and come back, regions begun
// by other threads. Prints one line and ends with exit code 5.
#include <omp.h>
#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static long orphaned(int n)
{
    long sum = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) sum += i;
    return sum;
}

static long throwing()
{
    long caught = 0;
#pragma omp parallel num_threads(3) reduction(+ : caught)
    {
        try {
#pragma omp task shared(caught)
            try {
                throw std::runtime_error("in a task");
            } catch (const std::exception &) {
#pragma omp atomic
                caught += 100;
            }
#pragma omp taskwait
            throw omp_get_thread_num();
        } catch (int thread) {
            caught += thread;
        }
    }
    return caught;
}

static int forking()
{
    int code = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        pid_t child = fork();
        if (child == 0) _exit(7);
        int status;
        waitpid(child, &status, 0);
        code = WEXITSTATUS(status);
    }
    pid_t child = fork();
    if (child == 0) { // its regions have a thread each: libgomp's others are gone
        int threads = 0;
#pragma omp parallel num_threads(1) reduction(+ : threads)
        threads++;
        _exit(threads);
    }
    int status;
    waitpid(child, &status, 0);
    return code + WEXITSTATUS(status);
}

static long many()
{
    long sum = 0;
    for (int i = 0; i < 300; i++) { // a team for each of many threads
        std::thread t([&] {
#pragma omp parallel num_threads(2) reduction(+ : sum)
            sum += orphaned(10);
        });
        t.join();
    }
    return sum;
}

static long looping()
{
    long sum = orphaned(5);
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp single
#pragma omp taskloop grainsize(5) shared(sum)
        for (int i = 0; i < 50; i++) {
            long one = 1;
#pragma omp atomic
            sum += one;
        }
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 6; i++) {
#pragma omp ordered
            sum += i;
        }
#pragma omp for
        for (int i = 0; i < 100; i++) {
#pragma omp cancel for
        }
    }
    return sum > 60;
}

int main()
{
    long a = throwing(), d = looping();
    int b = forking();
    long c = many();
    std::printf("%ld %d %ld %ld\n", a, b, c, d);
    return 5;
}
