//go:build e2e

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// remoteFiles mounts a directory by sshfs: as on network file systems, files that are open stay as hidden ones when
// they are removed, locks are local, and all can be gone at any time. gone makes it go.
func remoteFiles(t *testing.T) (dir string, gone func()) {
	t.Helper()
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		notTested(t, "file systems in user space: %v", err)
	} else {
		f.Close()
	}
	here, dir := t.TempDir(), t.TempDir()
	server := exec.Command("/usr/lib/openssh/sftp-server")
	client := exec.Command("sshfs", "-f", "-o", "passive", ":"+here, dir)
	connect(t, client, server)
	connect(t, server, client)
	for _, c := range []*exec.Cmd{server, client} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
			t.Error(err)
		}
		for _, c := range []*exec.Cmd{client, server} {
			c.Process.Kill()
			_ = c.Wait()
		}
	})
	var own, mounted syscall.Stat_t
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if syscall.Stat(here, &own) == nil && syscall.Stat(dir, &mounted) == nil && own.Dev != mounted.Dev {
			return dir, func() { client.Process.Kill() }
		}
		if time.Now().After(end) {
			t.Fatal("sshfs has not mounted its directory within 20 s")
		}
	}
}

// connect lets one program read what another writes.
func connect(t *testing.T, reader, writer *exec.Cmd) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	reader.Stdin, writer.Stdout = r, w
}

// TestRemoteFiles: output and state on a network file system, and little is left there but the recording.
func TestRemoteFiles(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		remote, _ := remoteFiles(t)
		recordLogged(t, m, filepath.Join(remote, "out.tabard"), t.TempDir(), "TABARD_STATE="+remote)
		out := filepath.Join(remote, "again.tabard")
		recordLogged(t, m, out, t.TempDir(), "TABARD_STATE="+remote)
		// Files that are open when they are removed stay until they are closed: the next job takes their directory
		// away.
		var left []string
		all, _ := filepath.Glob(filepath.Join(remote, "tabard-*", "*"))
		for _, f := range all {
			if !strings.HasPrefix(filepath.Base(f), "libtabard-") {
				left = append(left, f)
			}
		}
		if len(left) > 1 || len(left) == 1 && !strings.Contains(left[0], ".removed-") {
			t.Errorf("left in the state directory: %q", left)
		}
	})
}

// TestRemoteFilesGone: the file system of the state or of the output goes away while the program runs, which goes on.
// What cannot be recorded is said.
func TestRemoteFilesGone(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"state", "output"} {
		t.Run(what, func(t *testing.T) {
			eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
				remote, gone := remoteFiles(t)
				dir, state := t.TempDir(), stateRoot(t)
				out := filepath.Join(dir, "out.tabard")
				if what == "state" {
					state = remote
				} else {
					out = filepath.Join(remote, "out.tabard")
				}
				p, err := program(m, "logged")
				if err != nil {
					t.Fatal(err)
				}
				j := &mpirun.Job{MPI: m, Ranks: 2, Env: []string{"TABARD_STATE=" + state}, Dir: dir,
					Args: []string{tabardBin, "record", "--quiet", "-o", out, p[0], dir, "2"}}
				go func() {
					begun := []uint64{0}
					for end := time.Now().Add(30 * time.Second); begun[0] < 1000 && time.Now().Before(end); {
						time.Sleep(10 * time.Millisecond)
						if n, err := returned(dir, 2); err == nil {
							begun = n
						}
					}
					time.Sleep(time.Second)
					gone()
				}()
				began := time.Now()
				r, err := j.Start()
				if err != nil {
					t.Fatal(err)
				}
				if r.Code != 0 || r.Stdout != "logged: done\n" {
					t.Errorf("exit code %d, output %q, %q", r.Code, r.Stdout, r.Stderr)
				}
				want, err := returned(dir, 2)
				if err != nil {
					t.Fatal(err)
				}
				done, _, err := recorded(out, 2, -1)
				if !slices.Equal(done, want) && !strings.Contains(r.Stderr, "tabard: ") {
					t.Errorf("%d calls returned, %d are recorded (%v), and nothing was said", want, done, err)
				}
				if took := time.Since(began); took > 40*time.Second {
					t.Errorf("the program ran for 2 s and took %v", took)
				}
			})
		})
	}
}
