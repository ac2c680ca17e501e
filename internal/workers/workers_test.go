package workers_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/workers"
)

// A panic of a goroutine is one of whoever waits, with the place where it happened.
func TestPanic(t *testing.T) {
	var g workers.Group
	ended := atomic.Int64{}
	for i := range 4 {
		g.Go(func() {
			if i == 2 {
				mistake()
			}
			ended.Add(1)
		})
	}
	defer func() {
		p, ok := recover().(*workers.Panic)
		if !ok || p.Value != "a mistake" || !strings.Contains(p.Error(), "workers_test.mistake") {
			t.Errorf("Wait panics with %v", p)
		}
		if ended.Load() != 3 {
			t.Errorf("%d others have ended", ended.Load())
		}
	}()
	g.Wait()
	t.Error("Wait returns")
}

func mistake() { panic("a mistake") }

// Each does everything once, and stops where something fails or panics.
func TestEach(t *testing.T) {
	const n = 1000
	var done [n]atomic.Int64
	if err := workers.Each(n, func(i int) error { done[i].Add(1); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if done[i].Load() != 1 {
			t.Errorf("%d is done %d times", i, done[i].Load())
		}
	}
	if err := workers.Each(0, func(int) error { return errors.New("nothing") }); err != nil {
		t.Error(err)
	}
	bad := errors.New("bad")
	last := atomic.Int64{}
	if err := workers.Each(1<<40, func(i int) error {
		last.Store(int64(i))
		if i == 100 {
			return bad
		}
		return nil
	}); err != bad || last.Load() > 1<<20 {
		t.Errorf("%v after %d", err, last.Load())
	}
	defer func() {
		if p, _ := recover().(*workers.Panic); p == nil || p.Value != "a mistake" {
			t.Errorf("panics with %v", p)
		}
	}()
	workers.Each(1<<40, func(i int) error {
		if i == 100 {
			mistake()
		}
		return nil
	})
}

// Of several errors it is that of the least number, however long each takes.
func TestFirstError(t *testing.T) {
	for range 50 {
		err := workers.AtOnce(4, 100, func(i int) error {
			if i == 3 {
				time.Sleep(time.Millisecond)
			}
			if i >= 3 {
				return fmt.Errorf("error %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "error 3" {
			t.Fatal(err)
		}
	}
	running := atomic.Int64{}
	if err := workers.AtOnce(1, 100, func(int) error {
		if running.Add(1) > 1 {
			return errors.New("two at once")
		}
		running.Add(-1)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// What answers the command line and the viewer starts goroutines by this package only.
func TestOnlyWay(t *testing.T) {
	guarded := map[string]bool{"../view/answers.go": true} // what it starts recovers by itself
	seen := 0
	for _, root := range []string{"../../analysis", "../../trace", "../report", "../view", "../export", "../archive",
		"../program", "../codec"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "ui" {
				return cmp.Or(err, fs.SkipDir)
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || guarded[path] {
				return nil
			}
			seen++
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: a goroutine by itself: its panics end the process", path)
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && n.Sel.Name == "WaitGroup" {
						t.Errorf("%s: a WaitGroup: panics of its goroutines end the process", path)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 300 {
		t.Errorf("%d files only", seen)
	}
}
