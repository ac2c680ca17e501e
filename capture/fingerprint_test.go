package capture_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/fingerprint"
)

// TestFingerprints compares fingerprints, by whatever instructions the processor has, with those of the definition.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "fingerprint")
	if err := command("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I.", "-pthread", "-o", exe,
		"testdata/fingerprint.c", "mpi/fingerprint.c", "core/readable.c"); err != nil {
		t.Fatal(err)
	}
	var out, readable strings.Builder
	cmd := exec.Command(exe)
	cmd.Stdout, cmd.Stderr = &out, &readable
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if readable.String() != "10001" {
		t.Errorf("readable: %s", &readable)
	}
	data := fingerprintData()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 100 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		var element, n, piece int
		var hash, sum uint64
		var w fingerprint.Wave
		if _, err := fmt.Sscan(line, &element, &n, &piece, &hash, &sum, &w.Re, &w.Im, &w.Size); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if want := fingerprint.Of(data[:n]); hash != want {
			t.Errorf("%s: hash should be %d", line, want)
		}
		if want := sumOf(element, data[:n]); sum != want {
			t.Errorf("%s: sum should be %d", line, want)
		}
		if want := waveOf(data[:n]); element == 10 && !w.Near(want, uint64(n/8), 8, 4) {
			t.Errorf("%s: wave should be %v", line, want)
		}
	}
}

// fingerprintData is what the program makes.
func fingerprintData() []byte {
	data := make([]byte, 1<<20)
	x := uint64(88172645463325252)
	for i := range data {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		data[i] = byte(x)
	}
	for i := 7; i < len(data); i += 8 {
		data[i] = 0x3f
	}
	return data
}

// sumOf is by definition that of integers; 0 for other elements.
func sumOf(element int, data []byte) (sum uint64) {
	width := []int{0, 1, 2, 4, 8, 1, 2, 4, 8, 0, 0}[element]
	for i := 0; width > 0 && i < len(data); i += width {
		var b [8]byte
		copy(b[:], data[i:i+width])
		v := binary.LittleEndian.Uint64(b[:])
		if element <= 4 {
			v = uint64(int64(v<<(64-8*width)) >> (64 - 8*width))
		}
		sum = fingerprint.JoinSums(sum, v, 1)
	}
	return sum
}

func waveOf(data []byte) (w fingerprint.Wave) {
	for i := 0; i < len(data); i += 8 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
		w = w.Join(uint64(i/8), fingerprint.Wave{Re: v, Size: math.Abs(v)})
	}
	return w
}
