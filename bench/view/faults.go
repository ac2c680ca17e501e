package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/testkit/browser"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// mostClicks is in how many clicks each fault has to be found.
const mostClicks = 3

// faults records programs with planted faults, and looks for each on the viewer's page from the first screen. Pictures
// of what is found go to a folder.
func faults(only *regexp.Regexp, pictures string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-faults-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	m, err := mpirun.Find("openmpi")
	if err != nil {
		return false, err
	}
	idle := filepath.Join(dir, "idle.so")
	if err := mpirun.BuildLibrary(filepath.Join(mpirun.Programs(), "idle.c"), idle); err != nil {
		return false, err
	}
	if err := os.MkdirAll(pictures, 0o777); err != nil {
		return false, err
	}
	ctx, stop, err := browser.Start()
	if err != nil {
		return false, err
	}
	defer stop()
	fmt.Println("| fault | what the finding says | clicks | |\n|---|---|---|---|")
	ok = true
	for _, name := range planted.Viewed {
		if !only.MatchString(name) {
			continue
		}
		f := planted.View(name)
		tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
		file, err := recorded(f, m, tabard, dir, idle)
		if err != nil {
			return false, err
		}
		s, err := browser.Serve(tabard, []string{file}, nil)
		if err != nil {
			return false, err
		}
		p, err := browser.Open(ctx, s.Address)
		if err != nil {
			s.Close()
			return false, err
		}
		clicks, text, failed := f.FindOnPage(p)
		picture, err := p.Picture()
		p.Close()
		s.Close()
		if err == nil {
			picture, err = small(picture)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(pictures, "fault-"+name+".png"), picture, 0o666)
		}
		if err != nil {
			return false, err
		}
		verdict := ""
		if failed != nil || len(clicks) > mostClicks {
			verdict, ok = fmt.Sprintf("**%v**", failed), false
		}
		fmt.Printf("| %s | %s | %d: %s | %s |\n", name, strings.ReplaceAll(text, "|", "\\|"), len(clicks),
			strings.Join(clicks, ", "), verdict)
	}
	return ok, nil
}

// recorded records a program with a fault. Ranks that wait sleep (testdata/mpi/idle.c): where ranks share processors
// with each other and with other programs, those that spin make others late that the fault does not.
func recorded(f *planted.Fault, m *mpirun.MPI, tabard, dir, idle string) (file string, err error) {
	if err := os.Setenv("LD_PRELOAD", idle); err != nil {
		return "", err
	}
	defer os.Unsetenv("LD_PRELOAD")
	return f.Record(m, tabard, dir)
}

// small makes a picture of few colours one of a palette: those that it has most of, and for others the nearest of them.
func small(b []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	at := full.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			r, g, b, _ := full.At(x, y).RGBA()
			counts[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
		}
	}
	var colors []color.RGBA
	for c := range counts {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var p color.Palette
	for _, c := range colors[:min(255, len(colors))] {
		p = append(p, c)
	}
	out := image.NewPaletted(at, p)
	draw.Draw(out, at, full, at.Min, draw.Src)
	var w bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	err = e.Encode(&w, out)
	return w.Bytes(), err
}
