//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// hosts are network namespaces with names of their own, joined by a bridge: what a job
// over several nodes needs, short of nodes.
type hosts struct {
	prefix, net string
	names       []string
	agent       string // what launchers use in place of ssh
}

// hostSets is how many were made.
var hostSets atomic.Int32

// agentScript takes a host, given by its address, and a command. Options in front are those of ssh.
const agentScript = `#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=${1##*.}; shift
exec ip netns exec "PREFIX$host" unshare -u sh -c 'hostname "$0"; eval "$*"' "PREFIX$host" "$@"
`

func newHosts(t *testing.T, n int) *hosts {
	t.Helper()
	// What is deleted lives on for a while: each test has names and addresses of its own.
	id, set := os.Getpid()%250, int(hostSets.Add(1))-1
	h := &hosts{prefix: fmt.Sprintf("tbd%d%c-", id, 'a'+set), net: fmt.Sprintf("10.%d.%d.", 213+set, id),
		agent: filepath.Join(t.TempDir(), "agent")}
	if out, err := exec.Command("unshare", "--net", "--uts", "true").CombinedOutput(); err != nil {
		notTested(t, "this machine allows no network namespaces: %v: %s", err, out)
	}
	if err := os.WriteFile(h.agent, []byte(strings.ReplaceAll(agentScript, "PREFIX", h.prefix)), 0o700); err != nil {
		t.Fatal(err)
	}
	ip := func(args string) {
		t.Helper()
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", args, err, out)
		}
	}
	bridge := h.prefix + "br"
	ip("link add " + bridge + " type bridge")
	t.Cleanup(func() { ip("link del " + bridge) })
	ip("addr add " + h.net + "254/24 dev " + bridge)
	ip("link set " + bridge + " up")
	for i := 1; i <= n; i++ {
		name, veth := fmt.Sprint(h.prefix, i), fmt.Sprint(h.prefix, "v", i)
		ip("netns add " + name)
		t.Cleanup(func() { ip("netns del " + name) })
		ip("link add " + veth + " type veth peer name eth0 netns " + name)
		ip("link set " + veth + " master " + bridge + " up")
		ip(fmt.Sprintf("-n %s addr add %s%d/24 dev eth0", name, h.net, i))
		ip("-n " + name + " link set eth0 up")
		ip("-n " + name + " link set lo up")
		h.names = append(h.names, name)
	}
	return h
}

// launch gives the arguments and the environment for two ranks on each host.
func (h *hosts) launch(m *mpirun.MPI) (args, env []string) {
	var list []string
	for i := range h.names {
		list = append(list, fmt.Sprint(h.net, i+1))
	}
	if m.Name == "mpich" {
		// UCX over TCP hangs at the end of programs in which ranks come to it at different times,
		// also without tabard.
		return []string{"-launcher", "ssh", "-launcher-exec", h.agent, "-localhost", h.net + "254", "-hosts",
				strings.Join(list, ","), "-ppn", "2"},
			[]string{"UCX_TLS=posix,self"}
	}
	return []string{"--host", strings.Join(list, ":2,") + ":2", "--mca", "plm_rsh_agent", h.agent, "--mca",
		"plm_rsh_no_tree_spawn", "1",
		"--mca", "oob_tcp_if_include", h.net + "0/24", "--mca", "btl", "self,vader,tcp", "--mca", "btl_tcp_if_include",
		h.net + "0/24"}, nil
}

// TestHosts records over several hosts: one file comes out, from inside MPI_Finalize or when it is
// read.
func TestHosts(t *testing.T) {
	h := newHosts(t, 3)
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		j := newNodeJob(t, m, 6)
		j.run("one", nil, "halo2d")
		for _, how := range []string{"finalize", "read"} {
			job := j.job(how, []string{"--merge", how, "--keep-raw", j.path(how + ".raw")}, "halo2d")
			var env []string
			job.Launch, env = h.launch(m)
			job.Env = append(job.Env, env...)
			r, err := job.Start()
			if err != nil {
				t.Fatal(err)
			}
			if r.Code != 0 || r.TimedOut {
				t.Fatalf("merge %s: exit code %d, timed out %v\n%s%s", how, r.Code, r.TimedOut, r.Stdout, r.Stderr)
			}
			want := how + ".tabard"
			if how == "read" {
				for _, name := range h.names[1:] {
					want += " " + how + "." + name + ".tabard"
				}
			}
			files := strings.Fields(j.settled(how))
			slices.Sort(files)
			if got := strings.Join(files, " "); got != sorted(want) {
				t.Errorf("merge %s: files %s, want %s", how, got, want)
			}
			if j.calls(how) != j.calls("one") {
				t.Errorf("merge %s: other calls than on one host", how)
			}
			j.verify(how)
			if got := j.hosts(how); !slices.Equal(got, h.names) {
				t.Errorf("merge %s: hosts %q, want %q", how, got, h.names)
			}
		}
	})
}

func sorted(list string) string {
	f := strings.Fields(list)
	slices.Sort(f)
	return strings.Join(f, " ")
}

// hosts lists the hosts of an archive.
func (j *nodeJob) hosts(name string) []string {
	j.t.Helper()
	out, err := tabard("info", "--json", j.path(name+".tabard"))
	if err != nil {
		j.t.Fatal(err)
	}
	var info struct {
		Hosts []string `json:"hosts"`
	}
	if err := json.Unmarshal(out, &info); err != nil {
		j.t.Fatal(err)
	}
	return info.Hosts
}
