! A Fortran program with one planted fault, or none: see faults.c.
module work
  use mpi
  implicit none
  integer :: me, np, ierr
  character(len=32) :: fault
contains
  subroutine halo(step)
    integer, intent(in) :: step
    integer :: tag, q
    double precision :: x(16), y(16)
    x = me
    tag = 7
    if (fault == 'tag' .and. me == 1 .and. step == 10) tag = 8
    call MPI_Isend(x, 16, MPI_DOUBLE_PRECISION, mod(me + 1, np), tag, MPI_COMM_WORLD, q, ierr) ! tag
    call MPI_Recv(y, 16, MPI_DOUBLE_PRECISION, mod(me + np - 1, np), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(q, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine advance(step)
    integer, intent(in) :: step
    double precision :: x, y
    integer :: comm
    x = step
    if (fault == 'slow' .and. me == 3) call sleep_ms(7)
    call sleep_ms(2)
    if (fault == 'barrier' .or. fault == 'barrier-mended') call parts()
    call halo(step)
    if (fault == 'comm-leak') call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr) ! comm-leak
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) ! slow
  end subroutine
  subroutine parts()
    integer :: i
    do i = 0, 7
      call sleep_ms(merge(5, 1, mod(i + me, 4) == 0))
      if (fault == 'barrier') call MPI_Barrier(MPI_COMM_WORLD, ierr) ! barrier
    end do
  end subroutine
  subroutine sleep_ms(ms)
    use iso_c_binding
    integer, intent(in) :: ms
    interface
      function usleep(us) bind(c) result(r)
        import :: c_int
        integer(c_int), value :: us
        integer(c_int) :: r
      end function
    end interface
    integer :: r
    r = usleep(1000 * ms)
  end subroutine
end module

program faults
  use work
  use iso_c_binding
  implicit none
  integer :: i, r
  character(len=8) :: seconds
  interface
    function alarm(s) bind(c) result(r)
      import :: c_int
      integer(c_int), value :: s
      integer(c_int) :: r
    end function
  end interface
  call MPI_Init(ierr)
  call get_command_argument(1, fault)
  call get_command_argument(2, seconds)
  if (seconds /= '') then
    read (seconds, *) i
    r = alarm(i)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  do i = 0, 39
    call advance(i)
  end do
  call MPI_Finalize(ierr)
end program
