/* The tool interface: variables found, described, read. */
#include "check.h"

int main(int argc, char **argv)
{
    int provided, n, verbosity, bind, scope, length, dlength, count, classes = 0, bytes = 0;
    char name[256], text[4096];
    MPI_Datatype type;
    MPI_T_enum kinds;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided); /* before MPI_Init */
    start(&argc, &argv);
    MPI_T_cvar_get_num(&n);
    CHECK(n > 0);
    for (int i = 0; i < n && i < 20; i++) {
        length = sizeof name, dlength = sizeof text;
        if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &kinds, text, &dlength, &bind, &scope)) continue;
        if (bind != MPI_T_BIND_NO_OBJECT || type != MPI_INT) continue;
        MPI_T_cvar_handle h;
        int value[64];
        CHECK(!MPI_T_cvar_handle_alloc(i, NULL, &h, &count) && count <= 64);
        CHECK(!MPI_T_cvar_read(h, value));
        MPI_T_cvar_handle_free(&h);
        bytes += length;
    }
    MPI_T_pvar_session session;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n && i < 10; i++) {
        int class, readonly, continuous, atomic;
        length = sizeof name, dlength = sizeof text;
        if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &kinds, text, &dlength, &bind, &readonly, &continuous, &atomic)) continue;
        if (bind != MPI_T_BIND_NO_OBJECT) continue;
        MPI_T_pvar_handle h;
        if (MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count)) continue;
        if (!continuous) MPI_T_pvar_start(session, h);
        MPI_T_pvar_handle_free(session, &h);
        classes++;
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_category_get_num(&n);
    CHECK(n >= 0);
    MPI_T_finalize();
    return finish("mpit", bytes);
}
