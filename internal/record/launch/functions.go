package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/functions/plan"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// planVariable names the file in the state directory that tells the runtime which functions of which images to see.
const planVariable = "TABARD_PLAN"

// planMemory is how much memory there may be in use before garbage is collected.
const planMemory = 96 << 20

// leaveGarbage leaves garbage where it is: to collect it would take longer than all else, and it goes with this program.
// Images that are planned for the first time may need more than planMemory. The first collection, which comes then, and
// the returned function make all as it was.
func leaveGarbage() (restore func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(planMemory)
	restore = sync.OnceFunc(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	runtime.SetFinalizer(&struct{ next *int }{}, func(any) { restore() })
	return restore
}

// planFunctions writes the plan of the program's functions into the state directory and returns its name, empty if
// there is nothing to see. Ranks of the same program have one plan.
func (l *launcher) planFunctions(dir string) string {
	list, err := plan.ParseList(l.o.Functions)
	if list == nil || err != nil {
		return ""
	}
	program, err := realProgram(l.path)
	if err == nil {
		initial, _ := unix.Auxv() // without it, it is not known
		err = besideStacks(initial)
	}
	if err != nil {
		l.tell("no functions are recorded: %v", err)
		return ""
	}
	defer leaveGarbage()()
	plans, problems := plan.Program(program, l.environ, list)
	for _, p := range problems {
		l.tell("functions that are not recorded: %v", p)
	}
	if len(plans) == 0 && !list.Libraries() {
		if len(problems) == 0 {
			l.tell("no functions are recorded: %s has none that --functions=%s names", l.o.Command[0], l.o.Functions)
		}
		return ""
	}
	name, err := writePlans(dir, plans, list.Libraries())
	if err == nil && list.Libraries() {
		err = collect.MakeWants(dir)
	}
	if err != nil {
		l.tell("no functions are recorded: %v", err)
	}
	return name
}

// besideStacks tells from the auxiliary vector of a process whether there can be memory where return addresses are
// kept: at their place on the stack, with bit 46 of its address turned over. Some kernels for AArch64 give programs 39
// or 42 bits of addresses.
func besideStacks(auxv [][2]uintptr) error {
	const atRandom, kept = 25, 46 // AT_RANDOM: 16 bytes at the begin of the stack
	for _, v := range auxv {
		if v[0] == atRandom && v[1]>>kept == 0 {
			return errors.New("this kernel gives programs fewer than 47 bits of addresses")
		}
	}
	return nil
}

// realProgram is the executable that runs a program: that of a script is its interpreter.
func realProgram(path string) (string, error) {
	for range 4 {
		next := interpreter(path)
		if next == "" {
			break
		}
		path = next
	}
	return path, plan.Possible(path)
}

func writePlans(dir string, plans []*plan.Plan, libraries bool) (string, error) {
	var images [][]byte
	for _, p := range plans {
		images = append(images, p.Encode())
	}
	file := plan.File(images, libraries)
	sum := sha256.Sum256(file)
	name := collect.PlanPrefix + hex.EncodeToString(sum[:8])
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return "", err
	}
	defer d.Close()
	if err := d.WriteNew(name, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return name, nil
}
