package ring

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// Who waits for the bell goes on when it rings, at once if it rang before, and after a while if it does not.
func TestBell(t *testing.T) {
	dir := private.Temp(t)
	if err := CreateControl(dir, Config{}); err != nil {
		t.Fatal(err)
	}
	c, err := OpenControl(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	if c.Wait(c.Bell(), 20*time.Millisecond); time.Since(began) < 20*time.Millisecond {
		t.Errorf("a bell that does not ring is waited for %v", time.Since(began))
	}
	c.Wait(c.Bell()-1, time.Hour)
	heard := c.Bell()
	go func() { // what tb_bell of the runtime does
		time.Sleep(10 * time.Millisecond)
		atomic.AddUint32(&c.page.Bell, 1)
		const futexWake = 1
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&c.page.Bell)), futexWake, 1, 0, 0, 0)
	}()
	if c.Wait(heard, time.Hour); c.Bell() == heard {
		t.Error("the wait ended before the bell")
	}
}
