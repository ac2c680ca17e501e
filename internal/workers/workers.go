// Package workers runs goroutines whose panics come out at those who wait for them: who guards the caller guards them,
// too. A mistake in an analysis ends the answer that it was for, and not the server.
package workers

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group is goroutines that somebody waits for. Its zero value has none.
type Group struct {
	running sync.WaitGroup
	first   atomic.Pointer[Panic]
}

// Panic is what Wait panics with.
type Panic struct {
	// Value is what the goroutine panicked with, and Stack where.
	Value any
	Stack []byte
}

// Error makes the runtime print all of it where nobody recovers.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.running.Go(func() {
		defer func() {
			if x := recover(); x != nil {
				g.first.CompareAndSwap(nil, &Panic{x, debug.Stack()})
			}
		}()
		f()
	})
}

// Wait waits until all goroutines have ended. If one panicked, it panics.
func (g *Group) Wait() {
	g.running.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Each calls f for the numbers from 0 to n-1, in this order and on all processors, until one fails. It is the error of
// the least number: always the same one, if that of each number is.
func Each(n int, f func(i int) error) error { return AtOnce(runtime.GOMAXPROCS(0), n, f) }

// AtOnce is Each with at most so many calls of f at the same time.
func AtOnce(most, n int, f func(i int) error) error {
	var g Group
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	at := n
	for range min(most, n) {
		g.Go(func() {
			defer next.Store(int64(n)) // all have been begun, or one failed
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := f(int(i)); err != nil {
					mu.Lock()
					defer mu.Unlock()
					if int(i) < at {
						at, failed = int(i), err
					}
					return
				}
			}
		})
	}
	g.Wait()
	return failed
}
