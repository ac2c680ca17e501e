// What locks, semaphores and conditions give back in odd cases, each as a line: the same with and without recording.
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static timespec soon()
{
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 20000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static void *dies_with_lock(void *m)
{
    pthread_mutex_lock(static_cast<pthread_mutex_t *>(m));
    return nullptr;
}

static void types()
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    int first = pthread_mutex_lock(&m), second = pthread_mutex_lock(&m);
    printf("error checking: %d %d\n", first, second == EDEADLK);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    first = pthread_mutex_lock(&m), second = pthread_mutex_lock(&m);
    printf("recursive: %d %d %d %d %d\n", first, second, pthread_mutex_unlock(&m), pthread_mutex_unlock(&m),
           pthread_mutex_unlock(&m) == EPERM);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    pthread_t t;
    pthread_create(&t, nullptr, dies_with_lock, &m);
    pthread_join(t, nullptr);
    first = pthread_mutex_lock(&m);
    printf("robust: %d %d\n", first == EOWNERDEAD, pthread_mutex_consistent(&m));
}

static void *times_out(void *)
{
    timespec until = soon();
    int locked = pthread_mutex_timedlock(&lock, &until);
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    int waited = pthread_cond_timedwait(&never, &m, &until);
    printf("timed out: %d %d %d\n", locked == ETIMEDOUT, waited == ETIMEDOUT, pthread_mutex_unlock(&m));
    return nullptr;
}

static void unlock(void *m) { printf("cleaned up: %d\n", pthread_mutex_unlock(static_cast<pthread_mutex_t *>(m))); }

static void *is_cancelled(void *m)
{
    pthread_mutex_lock(static_cast<pthread_mutex_t *>(m));
    pthread_cleanup_push(unlock, m);
    for (;;) pthread_cond_wait(&never, static_cast<pthread_mutex_t *>(m));
    pthread_cleanup_pop(1);
    return nullptr;
}

static sem_t word;
static void interrupted(int) {}
static void *waits(void *)
{
    errno = 0;
    int r = sem_wait(&word), why = errno;
    printf("interrupted: %d %d\n", r, why == EINTR);
    errno = 7;
    sem_post(&word);
    r = sem_wait(&word);
    printf("word: %d, errno kept: %d\n", r, errno == 7);
    return nullptr;
}

static void cplusplus()
{
    std::mutex m;
    std::shared_mutex s;
    std::condition_variable c;
    int turn = 0, sum = 0;
    std::thread all[3];
    for (int i = 0; i < 3; i++)
        all[i] = std::thread([&, i] {
            for (int k = 0; k < 20; k++) {
                std::unique_lock<std::mutex> l(m);
                c.wait(l, [&] { return turn % 3 == i; });
                std::unique_lock<std::shared_mutex> w(s);
                sum += i + k;
                turn++;
                c.notify_all();
            }
        });
    for (auto &t : all) t.join();
    printf("C++: %d\n", sum);
}

int main()
{
    pthread_t t;
    setvbuf(stdout, nullptr, _IOLBF, 0);
    types();
    pthread_mutex_lock(&lock);
    pthread_create(&t, nullptr, times_out, nullptr);
    pthread_join(t, nullptr);
    pthread_mutex_unlock(&lock);
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&t, nullptr, is_cancelled, &m);
    usleep(50000);
    pthread_cancel(t);
    void *end;
    pthread_join(t, &end);
    printf("cancelled: %d\n", end == PTHREAD_CANCELED);
    struct sigaction act = {};
    act.sa_handler = interrupted;
    sigaction(SIGUSR1, &act, nullptr);
    sem_init(&word, 0, 0);
    pthread_create(&t, nullptr, waits, nullptr);
    usleep(100000);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, nullptr);
    cplusplus();
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&lock);
        _exit(pthread_mutex_trylock(&lock) == EBUSY ? 5 : 6);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child: %d\n", WEXITSTATUS(status));
    return 3;
}
