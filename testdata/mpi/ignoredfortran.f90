! Rank 0 receives from anybody and ignores the statuses, through mpif.h, use mpi and use mpi_f08. Messages say who
! sent them, and with an argument rank 0 writes to this file what it got: lines "source tag bytes".
module truth
  implicit none
  integer, parameter :: each = 5
  logical :: told = .false.
contains
  subroutine took(m)
    integer, intent(in) :: m(3)
    if (told) write (20, '(i0,1x,i0,1x,i0)') m(1), m(2), 4 * m(3)
  end subroutine
end module

subroutine with77(n)
  use truth
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n
  integer :: k, w, m(3), all(3, 64), req(64), ierr
  do k = 1, n
     call MPI_Recv(m, 3, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call took(m)
  end do
  do k = 1, n
     call MPI_Irecv(m, 3, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, req(1), ierr)
     call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
     call took(m)
  end do
  do k = 1, n
     call MPI_Irecv(all(:, k), 3, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(k), ierr)
  end do
  call MPI_Waitall(n, req, MPI_STATUSES_IGNORE, ierr)
  do w = 1, n
     call took(all(:, w))
  end do
end subroutine

subroutine with90(n)
  use truth
  use mpi
  implicit none
  integer, intent(in) :: n
  integer :: k, w, m(3), all(3, 64), req(64), ierr
  do k = 1, n
     call MPI_Recv(m, 3, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call took(m)
  end do
  do k = 1, n
     call MPI_Irecv(m, 3, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, req(1), ierr)
     call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
     call took(m)
  end do
  do k = 1, n
     call MPI_Irecv(all(:, k), 3, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(k), ierr)
  end do
  call MPI_Waitall(n, req, MPI_STATUSES_IGNORE, ierr)
  do w = 1, n
     call took(all(:, w))
  end do
end subroutine

subroutine with08(n)
  use truth
  use mpi_f08
  implicit none
  integer, intent(in) :: n
  integer :: k, m(3)
  integer, asynchronous :: all(3, 64)
  type(MPI_Request) :: req(64)
  do k = 1, n
     call MPI_Recv(m, 3, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
     call took(m)
  end do
  do k = 1, n
     call MPI_Irecv(all(:, 1), 3, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, req(1))
     call MPI_Wait(req(1), MPI_STATUS_IGNORE)
     call took(all(:, 1))
  end do
  do k = 1, n
     call MPI_Irecv(all(:, k), 3, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(k))
  end do
  call MPI_Waitall(n, req, MPI_STATUSES_IGNORE)
  do k = 1, n
     call took(all(:, k))
  end do
end subroutine

program ignoredfortran
  use truth
  use mpi
  implicit none
  integer :: ierr, rank, nproc, k, phase, way, m(3)
  character(len=512) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  if (rank == 0 .and. command_argument_count() > 0) then
     call get_command_argument(1, name)
     open (20, file=trim(name))
     told = .true.
  end if
  do way = 1, 3
     if (rank /= 0) then
        do phase = 1, 3
           do k = 1, each
              m = (/rank, phase, 3/)
              call MPI_Send(m, 3, MPI_INTEGER, 0, phase, MPI_COMM_WORLD, ierr)
           end do
        end do
     else if (way == 1) then
        call with77((nproc - 1) * each)
     else if (way == 2) then
        call with90((nproc - 1) * each)
     else
        call with08((nproc - 1) * each)
     end if
     call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  if (told) close (20)
  if (rank == 0) print '(a,i0,a)', 'ignoredfortran on ', nproc, ' ranks: done'
  call MPI_Finalize(ierr)
end program
