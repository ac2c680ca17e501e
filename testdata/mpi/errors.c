/* Errors that are returned and survived, error handlers of all kinds, and
 * error classes, codes and strings made by the program. */
#include "check.h"
#include <stdarg.h>

static int seen;

static void on_comm(MPI_Comm *c, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int n, r;
    MPI_Error_string(*code, text, &n);
    MPI_Comm_rank(*c, &r);
    CHECK(n > 0 && r == rank);
    seen++;
}
static void on_win(MPI_Win *w, int *code, ...) { seen++; }
static void on_file(MPI_File *f, int *code, ...) { seen++; }

static int class_of(int code)
{
    int c;
    MPI_Error_class(code, &c);
    return c;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int x = rank, y[2], e, n, class, code;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Errhandler h, wh, fh, back;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        e = MPI_Send(&x, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
        CHECK(class_of(e) == MPI_ERR_RANK);
        e = MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        CHECK(class_of(e) == MPI_ERR_COUNT);
        e = MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        CHECK(class_of(e) == MPI_ERR_TYPE);
        e = MPI_Send(&x, 1, MPI_INT, 0, -77, MPI_COMM_WORLD);
        CHECK(class_of(e) == MPI_ERR_TAG);
    }
    /* A message that does not fit: the error comes back through the completion. */
    int peer = rank ^ 1, two[2] = {1, 2};
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Irecv(&y[0], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&y[1], 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Send(two, 2, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Send(two, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
    e = MPI_Waitall(2, r, s);
    CHECK(class_of(e) == MPI_ERR_IN_STATUS && class_of(s[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
    for (int i = 0; i < 2; i++) /* one may still be pending */
        if (r[i] != MPI_REQUEST_NULL) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    CHECK(y[1] == 1);

    MPI_Comm_create_errhandler(on_comm, &h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &back);
    CHECK(back == h);
    MPI_Errhandler_free(&back);
    e = MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    CHECK(e != MPI_SUCCESS && seen == 1);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    CHECK(seen == 2);
    MPI_Errhandler_free(&h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

    MPI_Win w;
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_create_errhandler(on_win, &wh);
    MPI_Win_set_errhandler(w, wh);
    MPI_Win_call_errhandler(w, MPI_ERR_OTHER);
    MPI_Win_get_errhandler(w, &back);
    MPI_Errhandler_free(&back);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    e = MPI_Put(&x, 1, MPI_INT, size + 1, 0, 1, MPI_INT, w);
    CHECK(e != MPI_SUCCESS);
    MPI_Errhandler_free(&wh);
    MPI_Win_free(&w);

    MPI_File f;
    e = MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    CHECK(e != MPI_SUCCESS); /* files return errors by default */
    MPI_File_create_errhandler(on_file, &fh);
    MPI_File_set_errhandler(MPI_FILE_NULL, fh);
    e = MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    CHECK(e != MPI_SUCCESS && seen == 4);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&fh);

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "too many heralds");
    MPI_Error_string(code, text, &n);
    CHECK(!strcmp(text, "too many heralds") && class_of(code) == class);
    return finish("errors", seen);
}
