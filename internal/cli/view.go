package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/view"
)

const viewLong = `Show a recording in a browser, from the whole run to one call; or two beside each other.

The page comes from this command, which serves it on this machine only, until Ctrl-C or until nobody has used
it for as long as --idle says. The address that is printed has a secret: whoever knows it can see the recording.

To look at a recording on another machine, run the command there with --socket and the one that it prints on
your own: a socket can be opened by its user only, while ports are shared by all users of a machine. See
docs/viewer.md.

With --html it writes one page of at most 5 MB that needs no server, with the overview and the tables, to attach to a
ticket or a mail.`

type viewFlags struct {
	port      int
	socket    string
	noBrowser bool
	idle      time.Duration
	html      string
	force     bool
}

var _ = reading(35, Bound{Memory: 1.5e9, PerRank: 20e3, Seconds: 60, Garbage: 20}, viewCommand)

func viewCommand(a *app) *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "view FILE [FILE2]",
		Short: "Show a recording in a browser",
		Long:  viewLong,
		Example: `  tabard view app.tabard
  tabard view good.tabard bad.tabard
  tabard view app.tabard --socket ~/view.sock     # on a login node
  tabard view app.tabard --no-browser --port 8080
  tabard view app.tabard --html app.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("want FILE, or two to compare")
			}
			return nil
		},
		ValidArgsFunction: completeTwoFiles,
	}
	fl := cmd.Flags()
	fl.IntVar(&f.port, "port", 0, "serve on this `PORT` of the loopback interface (default: any that is free)")
	fl.StringVar(&f.socket, "socket", "", "serve on a Unix socket at `PATH` instead, which only this user can open")
	fl.BoolVar(&f.noBrowser, "no-browser", false, "start no browser")
	fl.DurationVar(&f.idle, "idle", 4*time.Hour, "end after so long without a request; 0 is never")
	fl.StringVar(&f.html, "html", "", "serve nothing, and write overview and tables to `FILE`: a page by itself")
	fl.BoolVar(&f.force, "force", false, "overwrite a file that is no page of tabard")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.html != "" && (f.socket != "" || cmd.Flags().Changed("port") || cmd.Flags().Changed("idle")):
			return usagef("--html serves nothing: it goes without --port, --socket and --idle")
		case f.html != "" && len(args) > 1:
			return usagef("--html is of one recording")
		case f.port < 0 || f.port > 65535:
			return usagef("--port %d is not in 0 to 65535", f.port)
		case f.socket != "" && cmd.Flags().Changed("port"):
			return usagef("--socket and --port do not go together")
		case f.idle < 0:
			return usagef("--idle %v is negative", f.idle)
		}
		return f.run(a, args)
	}
	return a.withLive(cmd)
}

func (f *viewFlags) run(a *app, args []string) error {
	var archives []*archive.Archive
	for _, file := range args {
		arch, err := a.open(file)
		if err != nil {
			return err
		}
		defer arch.Close()
		a.opened(arch)
		if s := archive.Incomplete(arch.Gaps()); s != "" {
			a.remarks(file)(s)
		}
		archives = append(archives, arch)
	}
	s, err := view.New(archives...)
	if err != nil {
		return err
	}
	defer s.Close()
	if f.html != "" {
		defer a.interruptible()()
		return a.writeFile(f.html, aPage, f.force, func(w io.Writer) error { return s.WriteHTML(w, a.meter) })
	}
	return f.serve(a, s)
}

// serve answers until Ctrl-C, or until nobody asks any more.
func (f *viewFlags) serve(a *app, s *view.Server) error {
	l, err := f.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	remove := f.announce(a, s, l)
	defer remove()
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 16}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	tick := time.NewTicker(max(10*time.Millisecond, min(time.Minute, cmp.Or(f.idle, time.Hour)/10)))
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return err
		case <-ctx.Done():
			server.Close()
		case <-tick.C:
			if f.idle > 0 && s.Idle() > f.idle {
				a.remarks("view")(fmt.Sprintf("nobody has looked for %v: this is the end", f.idle))
				server.Close()
			}
		}
	}
}

// listen opens the port or the socket. Nobody else can open the socket, not even while it is being made.
func (f *viewFlags) listen() (net.Listener, error) {
	if f.socket == "" {
		return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", f.port))
	}
	path, err := filepath.Abs(f.socket)
	if err != nil {
		return nil, err
	}
	if err := removeSocket(path); err != nil {
		return nil, err
	}
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.Listen("unix", path)
}

// removeSocket removes the socket of a server that was killed. If something else has the path, that is an error.
func removeSocket(path string) error {
	d, err := safefile.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	name := filepath.Base(path)
	st, err := d.Stat(name)
	if err != nil {
		return nil // the listener makes it, or says why it cannot
	}
	c, dialed := net.Dial("unix", path)
	if dialed == nil {
		c.Close()
		return fmt.Errorf("%s: another server listens there", path)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is there already, and no socket of an earlier `tabard view`: choose another path", path)
	}
	return d.Remove(name)
}

// announce says how to open the page, and opens it if it can. What it returns removes what that needed.
func (f *viewFlags) announce(a *app, s *view.Server, l net.Listener) (remove func()) {
	host, _ := os.Hostname()
	name := "you"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	defer a.out.Flush()
	if f.socket != "" {
		const port = 8090
		fmt.Fprintf(a.out, "Run this on your own machine:\n\n  ssh -N -L %d:%s %s@%s\n\nand open\n\n  "+
			"http://localhost:%d/?token=%s\n\nCtrl-C ends it.\n", port, render.ShellWord(l.Addr().String()), name,
			host, port, s.Token())
		return func() {}
	}
	address := fmt.Sprintf("http://%s/?token=%s", l.Addr(), s.Token())
	fmt.Fprintf(a.out, "Open\n\n  %s\n\nCtrl-C ends it. From another machine: see --socket.\n", address)
	if f.noBrowser {
		return func() {}
	}
	return browse(address)
}

// browse opens an address in the user's browser, if there is one. The address goes there in a file that only the user
// can read: all users of a machine see the arguments of programs.
func browse(address string) (remove func()) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	} else if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return func() {}
	}
	program, err := exec.LookPath(opener)
	if err != nil {
		return func() {}
	}
	dir, remove, err := safefile.Scratch("tabard-view-")
	if err != nil {
		return func() {}
	}
	text := fmt.Sprintf("<!doctype html><meta http-equiv=refresh content=\"0;url=%s\">\n", address)
	if err := dir.WriteFile("open.html", []byte(text), false); err == nil {
		cmd := exec.Command(program, dir.Join("open.html"))
		if cmd.Start() == nil {
			go cmd.Wait() // it was told to the user, too
		}
	}
	return remove
}
