//go:build e2e

package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// counted reads what testdata/mpi/counter.c left in dir: calls by function,
// all processes together.
func counted(dir string) (map[string]uint64, error) {
	const nameBytes, entryBytes = 56, 64
	files, err := filepath.Glob(filepath.Join(dir, "*.counts"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the independent counter saw no process")
	}
	calls := map[string]uint64{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for ; len(b) >= entryBytes; b = b[entryBytes:] {
			name := string(bytes.TrimRight(b[:nameBytes], "\x00"))
			if n := binary.LittleEndian.Uint64(b[nameBytes:]); n > 0 && !conversion.MatchString(name) {
				calls[name] += n
			}
		}
	}
	return calls, nil
}

// conversion matches the handle and status conversions, which Fortran layers
// call by the thousand and Tabard leaves alone.
var conversion = regexp.MustCompile(`_(c2f|f2c|c2f08|f082c|f2f08|f082f|toint|fromint)$`)

// compareCounts lists the functions whose counts differ. Records that are no
// MPI calls (memory segments) are not compared.
func compareCounts(want, got map[string]uint64) []string {
	names := maps.Clone(want)
	maps.Copy(names, got)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if strings.HasPrefix(name, "MPI_") && want[name] != got[name] {
			differ = append(differ, fmt.Sprintf("%s: counted %d, recorded %d", name, want[name], got[name]))
		}
	}
	return differ
}
