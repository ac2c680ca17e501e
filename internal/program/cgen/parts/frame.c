/* What programs are put together from: texts with places, which begin with $, for what differs. */

//// start_files
/* What an earlier run left is removed, and files that were there before are made, as large as they were; by one process of each
 * node, before MPI begins. In a folder of somebody else, links could lead to any file. */
static void start_files(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    static const struct { const char *name; long bytes; } files[] = {
$FILES    };
    char folder[4096];
    struct stat s;
    snprintf(folder, sizeof folder, "%s/%s", directory, FILES);
    mkdir(folder, 0755);
    if (lstat(folder, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid() || s.st_mode & 022) {
        fprintf(stderr, "%s is no directory that only you can write to: remove it, or run the program somewhere else.\n",
                folder);
        exit(1);
    }
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) && atoi(getenv(names[i])) > 0) return;
    for (int i = 0; i < $COUNT; i++) {
        FILE *f;
        remove(scratch_file(files[i].name));
        if (files[i].bytes < 0 || !(f = fopen(scratch_file(files[i].name), "wb"))) continue;
        if (files[i].bytes > 0 && fseek(f, files[i].bytes - 1, SEEK_SET) == 0) putc(0, f);
        fclose(f);
    }
}


//// ask_mpi
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        ranks = n;

//// alone
        rank = 0;
        ranks = 1;

//// find_rank
/* The rank is what the launcher says, so that the program makes no calls but those of the recording. */
static void find_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    long ranks = size;
    if (!s) s = getenv("PMI_SIZE");
    if (s) ranks = atol(s);
    for (int i = 0; rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (rank < 0) {
$ALONE    }
    if (ranks != size) {
        if (rank == 0) fprintf(stderr, "This program needs %ld ranks, not %ld: mpirun -n %ld\n", size, ranks, size);
        exit(1);
    }
}

int main(int argc, char **argv)
{

//// any_objects
/* n objects from a number on: as many as it takes. */
static $T *$A_run(long first, long n)
{
    static $T *list;
    static long made, room;
    if (first < 0 || n < 0 || first > $M || n > $M) {
        fprintf(stderr, "There is no $T %ld with this number of ranks.\n", first);
        exit(1);
    }
    if (first + n + 1 > room) {
        room = 2 * (first + n) + 16;
        list = realloc(list, room * sizeof *list);
        if (!list) exit(1);
    }
    while (made < first + n + 1) list[made++] = $N;
    return list + first;
}

//// any_at
static $T *$A_at(long n) { return $A_run(n, 1); }


//// any_fixed
static $T *$A_at(long n) { return &$A[n]; }


//// any_code
/* The object with a code: even for those of the program. */
static $T *$A_of(long code)
{
    static $T other;
    other = $N;
    return code > 0 && code % 2 == 0 ? $A_at(code / 2 - 1) : &other;
}


//// any_requests
static void put_request(long code, MPI_Request r)
{
    if (code > 0 && code % 2 == 0) *request_at(code / 2 - 1) = r;
}


//// any_grids
    int fits = set_grids();
$GIVEN    if (!fits) {
        if (rank == 0) fprintf(stderr, "This program cannot run with %ld ranks: they do not fill the grid of ranks (%s).\n", size, $GRIDS);
        exit(1);
    }

//// any_is_power
static int is_power(long n, int k)
{
    for (long i = 1;; i++) {
        long x = 1;
        for (int j = 0; j < k; j++) x *= i;
        if (x >= n) return x == n;
    }
}


//// any_admits
/* Whether the calls of so many ranks fit together. */
static int admits(long n) { return $CONDITION; }


//// any_admitted
    if (!admits(size)) {
        if (rank == 0) fprintf(stderr, "This program cannot run with %ld ranks: its calls would not fit together. It is for %s.\n", size, $SIZES);
        exit(1);
    }

//// any_find_rank
/* The rank is what the launcher says, so that the program makes no calls but those of the recording; else MPI is asked. */
static void find_rank(int initialised)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    if (size > 0) return;
    if (!s) s = getenv("PMI_SIZE");
    for (int i = 0; s && rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (s && rank >= 0) size = atol(s);
    if (size <= 0 && !initialised) return;
    if (size <= 0) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        size = n;
    }
$ADMITTED$GRIDS}


//// place
/* The address with a code: the offset there times 2^20 plus the number of its block. Negative codes stand for numbers. */
static void *place(long code)
{
    char *block = NULL;
    if (code < 0) return (void *)(size_t)(code % 2 ? (-1 - code) / 2 : code / 2);
    switch (code % (1L << 20)) {
$CASES    }
    return block + (code >> 20);
}


//// next_places
static MPI_Aint *next_places(long n, struct column *c)
{
    MPI_Aint *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = (MPI_Aint)(size_t)place(next(c));
    return v;
}


//// sequence
static void $SEQUENCE(long n)
{
    for (const int *p = $LISTS + $STARTS[n], *end = $LISTS + $STARTS[n + 1]; p < end; p++) {
        long times = *p < 0 ? -(long)*p++ : 1;
        for (; times > 0; times--)
            if (*p < $TOTAL) $CALL(*p);
            else $SEQUENCE(*p - $TOTAL);
    }
}


//// object_of
/* The object with a code: even for those of the program. */
static $T *$A_of(long code)
{
    static $T other;
    if (code > 0 && code % 2 == 0) return &$A[code / 2 - 1];
    other = $N;
$CASES    return &other;
}

