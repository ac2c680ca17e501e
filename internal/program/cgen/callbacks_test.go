package cgen

import "testing"

// recordedCallbacks are calls with functions of the program, which are not there: neutral ones
// stand for them.
var recordedCallbacks = []recordedCall{
	{"generalized requests",
		`MPI_Grequest_start(query_fn=module#0+0x10, free_fn=module#0+0x20, cancel_fn=module#0+0x30,
    extra_state=NULL) ; request=request#0
MPI_Grequest_complete(request=request#0)
MPI_Wait(request=request#0)`,
		`MPI_Grequest_start(query, free_request, cancel, NULL, &request[0]);
MPI_Grequest_complete(request[0]);
MPI_Wait(&request[0], MPI_STATUS_IGNORE);`,
		"same"},
	{"a handler for each class of objects",
		`MPI_Comm_create_errhandler(comm_errhandler_fn=module#0+0x10) ; errhandler=errhandler#0
MPI_File_create_errhandler(file_errhandler_fn=module#0+0x10) ; errhandler=errhandler#1
MPI_Win_create_errhandler(win_errhandler_fn=module#0+0x10) ; errhandler=errhandler#2
MPI_Comm_set_errhandler(comm=MPI_COMM_WORLD, errhandler=MPI_ERRORS_RETURN)`,
		`MPI_Comm_create_errhandler(handler_MPI_Comm, &errhandler[0]);
MPI_File_create_errhandler(handler_MPI_File, &errhandler[1]);
MPI_Win_create_errhandler(handler_MPI_Win, &errhandler[2]);
MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);`,
		"same"},
	{"a reduction with large counts",
		`MPI_Op_create_c(user_fn=module#0+0x40, commute=0) ; op=op#0`,
		`MPI_Op_create_c(reduce_large, 0, &op[0]);`,
		"same"},
	{"a conversion that is none stays so",
		`MPI_Register_datarep(datarep="mine", read_conversion_fn=module#0+0x10, write_conversion_fn=NULL,
    dtype_file_extent_fn=module#0+0x20, extra_state=NULL)`,
		`MPI_Register_datarep("mine", convert, MPI_CONVERSION_FN_NULL, extent, NULL);`,
		"same"},
}

func TestCallbacks(t *testing.T) { checkCalls(t, recordedCallbacks) }
