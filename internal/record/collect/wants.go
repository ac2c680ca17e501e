package collect

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/tabard-hpc/tabard/internal/functions/plan"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// WantsFile is a FIFO by which processes ask for the plans of libraries that they have loaded: the name of the answer
// and paths, with tabs in between, in a line. The answer is a file like that for the program's own functions.
const WantsFile = "wants"

// maxWant is what a process can write at once.
const maxWant = 4096

// MakeWants makes the FIFO in a state directory, unless there is one.
func MakeWants(dir string) error {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.MakeFIFO(WantsFile); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// planner answers the processes that ask.
type planner struct {
	dir   *safefile.Dir
	list  *plan.List
	fifo  *os.File
	logf  func(format string, args ...any)
	known map[string][]byte // images for the answers by path; nil: there is nothing to see
}

// startPlanner answers until the returned function is called.
func (c *collector) startPlanner() (stop func()) {
	list, err := plan.ParseList(c.job.Options["functions"])
	if err != nil || list == nil || !list.Libraries() {
		return func() {}
	}
	f, err := c.dir.OpenFIFO(WantsFile)
	if err != nil {
		c.logf("libraries that are loaded later have no plans: %v", err)
		return func() {}
	}
	p := &planner{dir: c.dir, list: list, fifo: f, logf: c.logf, known: map[string][]byte{}}
	beGenerous(generousFrom)
	go p.run()
	return func() { f.Close() }
}

func (p *planner) run() {
	s := bufio.NewScanner(p.fifo)
	s.Buffer(make([]byte, maxWant), 2*maxWant)
	for s.Scan() {
		name, paths, _ := strings.Cut(s.Text(), "\t")
		if !strings.HasPrefix(name, PlanPrefix) || strings.Contains(name, "/") {
			continue
		}
		file := plan.File(p.images(strings.Split(paths, "\t")), true)
		if err := p.dir.WriteFile(name, file, false); err != nil {
			p.logf("plan %s: %v", name, err)
		}
	}
}

func (p *planner) images(paths []string) [][]byte {
	var images [][]byte
	for _, path := range paths {
		known, ok := p.known[path]
		if !ok && p.list.Library(path) {
			known = p.image(path)
			p.known[path] = known
		}
		if known != nil {
			images = append(images, known)
		}
	}
	return images
}

func (p *planner) image(path string) []byte {
	known, err := plan.Cached(path)
	if err == nil {
		err = p.list.Select(known)
	}
	if err != nil {
		p.logf("functions that are not recorded: %v", err)
		return nil
	}
	if traced, _ := known.Count(); traced == 0 {
		return nil
	}
	return known.Encode()
}
