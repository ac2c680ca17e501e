/* Neutral functions in place of callbacks of the recorded program. OBJECT is the type of the object that has them. */

//// copy
static int copy_OBJECT(OBJECT object, int key, void *state, void *in, void *out, int *flag)
{
    (void)object, (void)key, (void)state;
    *(void **)out = in;
    *flag = 1;
    return fails;
}

//// delete
static int delete_OBJECT(OBJECT object, int key, void *value, void *state)
{
    (void)object, (void)key, (void)value, (void)state;
    return fails;
}

//// handler
static void handler_OBJECT(OBJECT *object, int *code, ...) { (void)object, (void)code; }

//// query
static int query(void *state, MPI_Status *s)
{
    (void)state;
    memset(s, 0, sizeof *s);
    return MPI_SUCCESS;
}

//// free
static int free_request(void *state) { (void)state; return MPI_SUCCESS; }

//// cancel
static int cancel(void *state, int complete) { (void)state, (void)complete; return MPI_SUCCESS; }

//// extent
static int extent(MPI_Datatype t, MPI_Aint *bytes, void *state)
{
    (void)state;
    MPI_Aint lb;
    return MPI_Type_get_extent(t, &lb, bytes);
}

//// convert
static int convert(void *user, MPI_Datatype t, int n, void *file, MPI_Offset at, void *state)
{
    (void)user, (void)t, (void)n, (void)file, (void)at, (void)state;
    return MPI_SUCCESS;
}
