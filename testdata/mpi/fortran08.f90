! use mpi_f08: typed handles, optional ierror, non-blocking collectives, RMA.
program fortran08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: half
  type(MPI_Request) :: req(3)
  type(MPI_Status) :: status
  type(MPI_Datatype) :: pair
  type(MPI_Win) :: win
  type(MPI_Group) :: world
  integer :: rank, nproc, peer, step, x(4), y(4), total, n, ierr
  integer, target :: shelf(4)
  integer(MPI_ADDRESS_KIND) :: bytes, disp
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  peer = ieor(rank, 1)
  do step = 1, 20
     x = rank + step
     call MPI_Irecv(y, 4, MPI_INTEGER, peer, step, MPI_COMM_WORLD, req(1))
     call MPI_Isend(x, 4, MPI_INTEGER, peer, step, MPI_COMM_WORLD, req(2))
     call MPI_Ibarrier(MPI_COMM_WORLD, req(3))
     call MPI_Waitall(3, req, MPI_STATUSES_IGNORE)
     if (y(4) /= peer + step) call MPI_Abort(MPI_COMM_WORLD, 1)
  end do
  call MPI_Sendrecv(x, 2, MPI_INTEGER, peer, 0, y, 4, MPI_INTEGER, peer, MPI_ANY_TAG, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  if (n /= 2 .or. status%MPI_SOURCE /= peer) call MPI_Abort(MPI_COMM_WORLD, 2)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, half)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, half)
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Comm_free(half)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  bytes = 16
  shelf = -1
  call MPI_Win_create(shelf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  disp = 2
  call MPI_Put(x, 1, pair, peer, disp, 1, pair, win)
  call MPI_Win_fence(0, win)
  if (shelf(4) /= peer + 20 .or. shelf(1) /= -1) call MPI_Abort(MPI_COMM_WORLD, 3)
  call MPI_Win_free(win)
  call MPI_Type_free(pair)
  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Group_size(world, n)
  call MPI_Group_free(world)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(A,I4,I4)', 'fortran08:', total, n
  call MPI_Finalize()
end program
