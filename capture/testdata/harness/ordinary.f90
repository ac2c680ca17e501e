! An ordinary Fortran program: allocatable arrays that grow, and text.
program ordinary
  implicit none
  real(8), allocatable :: a(:), b(:, :)
  character(:), allocatable :: text
  integer :: i
  allocate (a(0))
  text = ''
  do i = 1, 2000
    a = [a, real(i, 8)]
    if (mod(i, 100) == 0) text = text//'x'
  end do
  allocate (b(300, 300))
  b = spread(a(1:300), 2, 300)
  b = matmul(b, transpose(b))
  print '(f20.4, 1x, a)', sum(b)/size(b), text
  deallocate (a)
  stop 4
end program
