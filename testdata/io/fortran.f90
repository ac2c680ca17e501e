! Fortran's formatted, unformatted and stream files.
program files
  implicit none
  integer :: i
  real(8) :: a(1000)
  a = 1.5d0
  open(unit=11, file="f.dat", form="unformatted", access="stream", status="replace")
  do i = 1, 50
    write(11) a
  end do
  close(11)
  open(unit=12, file="f.txt", form="formatted", status="replace")
  do i = 1, 500
    write(12, '(i8, f12.4)') i, a(1)
  end do
  close(12)
  open(unit=11, file="f.dat", form="unformatted", access="stream", status="old")
  do i = 1, 50
    read(11) a
  end do
  close(11)
end program files
