package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// extract puts the runtime where the dynamic linker can load it from: beside
// the state directory, or, if that lies on a file system without execution,
// has a name that LD_PRELOAD cannot hold, or is in a place where others could
// put something else into its path, into another place. It stays there: what
// the program has started may outlive the recording and start something more,
// for which the linker would complain on standard error.
func extract(dir string, lib []byte) (string, error) {
	sum := sha256.Sum256(lib)
	byHash := "libtabard-" + hex.EncodeToString(sum[:8]) + ".so"
	places := []string{filepath.Join(filepath.Dir(dir), byHash)}
	for _, p := range []string{"/tmp", "/var/tmp"} {
		if root := collect.RootIn(p); root != "" {
			places = append(places, filepath.Join(root, byHash))
		}
	}
	if home, err := safefile.UserCache(); err == nil {
		places = append(places, filepath.Join(home, "tabard", byHash))
	}
	var errs []error
	for _, path := range places {
		if strings.ContainsAny(path, " :;$\n\t") {
			errs = append(errs, fmt.Errorf("%s: LD_PRELOAD cannot hold this name", path))
			continue
		}
		err := install(path, lib)
		if err == nil {
			return path, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no place for the runtime library: %w", errors.Join(errs...))
}

// install writes a library or an executable into a private directory unless it is there. Whoever opens its path finds
// it and nothing else: nobody else can change the directory or what is above it.
func install(path string, lib []byte) error {
	d, err := safefile.MakePrivate(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	if err := safefile.Trusted(d.Path()); err != nil {
		return err
	}
	name := filepath.Base(path)
	if have, err := d.Open(name); err == nil {
		b, err := io.ReadAll(have)
		if err == nil && string(b) == string(lib) {
			err = executable(have)
			have.Close()
			return err
		}
		have.Close()
	}
	if err := d.WriteProgram(name, lib); err != nil {
		return err
	}
	have, err := d.Open(name)
	if err != nil {
		return err
	}
	defer have.Close()
	return executable(have)
}

// executable reports an error if code in the file cannot be mapped (noexec).
func executable(f *os.File) error {
	m, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("%s: cannot be loaded: %w", f.Name(), err)
	}
	return unix.Munmap(m)
}
