! use mpi: a 1-D halo exchange on a Cartesian communicator, strided buffers,
! persistent requests, error codes, probes.
program fortran90
  use mpi
  implicit none
  integer :: ierr, rank, nproc, left, right, step, grid, column, n, req(4), code
  integer :: status(MPI_STATUS_SIZE)
  double precision :: u(0:9, 0:5), total, mine
  double precision, allocatable :: box(:)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/nproc/), (/.true./), .false., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_shift(grid, 0, 1, left, right, ierr)
  call MPI_Type_vector(6, 1, 10, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  u = rank
  call MPI_Recv_init(u(0, 0), 1, column, left, 1, grid, req(1), ierr)
  call MPI_Recv_init(u(9, 0), 1, column, right, 2, grid, req(2), ierr)
  call MPI_Send_init(u(8, 0), 1, column, right, 1, grid, req(3), ierr)
  call MPI_Send_init(u(1, 0), 1, column, left, 2, grid, req(4), ierr)
  do step = 1, 25
     call MPI_Startall(4, req, ierr)
     call MPI_Waitall(4, req, MPI_STATUSES_IGNORE, ierr)
     u(1:8, :) = u(1:8, :) + 0.25d0 * (u(0:7, :) - 2 * u(1:8, :) + u(2:9, :))
  end do
  do step = 1, 4
     call MPI_Request_free(req(step), ierr)
  end do
  mine = sum(u(1:8, 0))
  call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid, ierr)
  if (rank == 0 .and. abs(total - 8d0 * nproc * (nproc - 1) / 2) > 1d-6) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, nproc + 3, 0, grid, code)
  if (code == MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  allocate (box(rank + 1))
  box = rank
  if (rank /= 0) call MPI_Send(box, rank + 1, MPI_DOUBLE_PRECISION, 0, 5, grid, ierr)
  deallocate (box)
  if (rank == 0) then
     do step = 1, nproc - 1
        call MPI_Probe(MPI_ANY_SOURCE, 5, grid, status, ierr)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, n, ierr)
        allocate (box(n))
        call MPI_Recv(box, n, MPI_DOUBLE_PRECISION, status(MPI_SOURCE), 5, grid, status, ierr)
        if (nint(box(n)) /= status(MPI_SOURCE)) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
        deallocate (box)
     end do
  end if
  call MPI_Type_free(column, ierr)
  call MPI_Comm_free(grid, ierr)
  if (rank == 0) print '(A,F8.3)', 'fortran90:', total
  call MPI_Finalize(ierr)
end program
