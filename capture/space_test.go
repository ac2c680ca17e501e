package capture_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// TestSpace has memory that is limited by the machine and by control groups of
// both versions, and directories in memory and on a disk.
func TestSpace(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	exe := filepath.Join(root, "space")
	if err := command("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I.", `-DTB_ROOT="`+root+`"`,
		"testdata/harness/space.c", "-o", exe); err != nil {
		t.Fatal(err)
	}
	memory, err := os.MkdirTemp("/dev/shm", "tabard-space-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	const disk = "/proc/self" // no file system in memory; its size is 0: no limit
	meminfo := func(total, free int) string {
		return "MemTotal:       " + strconv.Itoa(total<<10) + " kB\nMemFree: 1 kB\nMemAvailable:   " +
			strconv.Itoa(free<<10) + " kB\n"
	}
	const mib = 1 << 20
	n := strconv.Itoa
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // in memory, can spare: memory, disk, one that does not exist
	}{
		{"nothing known", nil, "11 01 00"},
		{"plenty", map[string]string{"proc/meminfo": meminfo(1000, 900)}, "11 01 00"},
		{"a quarter is left", map[string]string{"proc/meminfo": meminfo(1000, 261)}, "11 01 00"},
		{"less is left", map[string]string{"proc/meminfo": meminfo(1000, 259)}, "10 01 00"},
		{"no memory", map[string]string{"proc/meminfo": meminfo(1000, 3)}, "10 01 00"},
		{"group", map[string]string{"proc/meminfo": meminfo(1000, 900), "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": n(100*mib) + "\n", "sys/fs/cgroup/a/b/memory.current": n(60*mib) + "\n"},
			"11 01 00"},
		{"full group", map[string]string{"proc/meminfo": meminfo(1000, 900), "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": n(100*mib) + "\n", "sys/fs/cgroup/a/b/memory.current": n(70*mib) + "\n"},
			"10 01 00"},
		{"group full of cached files", map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":     n(100*mib) + "\n",
			"sys/fs/cgroup/a/b/memory.current": n(95*mib) + "\n",
			"sys/fs/cgroup/a/b/memory.stat":    "anon 5\ninactive_file " + n(50*mib) + "\n"}, "11 01 00"},
		{"full group above", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/b/memory.current": n(70*mib) + "\n", "sys/fs/cgroup/a/memory.max": n(100*mib) + "\n",
			"sys/fs/cgroup/a/memory.current": n(99*mib) + "\n"}, "10 01 00"},
		{"version 1", map[string]string{"proc/self/cgroup": "3:cpu,cpuacct:/x\n2:memory:/job\n0::/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": n(100*mib) + "\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": n(70*mib) + "\n"}, "10 01 00"},
		{"version 1, cached", map[string]string{"proc/self/cgroup": "2:memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": n(100*mib) + "\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": n(70*mib) + "\n",
			"sys/fs/cgroup/memory/job/memory.stat":           "cache 1\ntotal_inactive_file " + n(30*mib) + "\n"},
			"11 01 00"},
		{"version 1, no limit", map[string]string{"proc/self/cgroup": "2:memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": n(70*mib) + "\n"}, "11 01 00"},
		{"container", map[string]string{"proc/self/cgroup": "2:memory:/host/path/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": n(100*mib) + "\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": n(90*mib) + "\n"}, "10 01 00"},
	} {
		for _, dir := range []string{"proc", "sys"} {
			os.RemoveAll(filepath.Join(root, dir))
		}
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command(exe, n(10*mib), memory, disk, filepath.Join(root, "none")).Output()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %q (%v), want %q", c.name, out, err, c.want)
		}
	}
	out, err := exec.Command(exe, strconv.Itoa(1<<60), "/", memory).Output()
	if err != nil || !strings.Contains(string(out), "0 10") {
		t.Errorf("more than there is: %q, %v", out, err)
	}
}

// diskDir is a directory that does not lie in memory, as the one for temporary files may.
func diskDir(t *testing.T) string {
	t.Helper()
	var fs syscall.Statfs_t
	dir := t.TempDir()
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if fs.Type != unix.TMPFS_MAGIC {
		return dir
	}
	dir, err := os.MkdirTemp(".", ".disk-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Without a collector, segments go to the second place if the first lies in memory.
func TestSpillToDisk(t *testing.T) {
	second := diskDir(t)
	memory, err := os.MkdirTemp("/dev/shm", "tabard-spill-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	r := &run{t: t, flavour: "openmpi", dir: memory, spill: private.Open(t, second).Path(),
		config: ring.Config{SegmentBytes: 64 << 10, SegmentsMax: 2,
			DeadAfter: 50 * time.Millisecond}}
	r.start("many", "20000")
	r.wantCode(0)
	r.wantTags(0, upTo(20000))
	count := func(dir string) int {
		files, err := filepath.Glob(filepath.Join(dir, "s.*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if in, out := count(memory), count(second); in != 2 || out < 5 {
		t.Errorf("%d segments in memory, %d on disk", in, out)
	}
}
