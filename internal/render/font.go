package render

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// fonts are the faces in use. A face must not be used by two goroutines at once.
var fonts struct {
	sync.Mutex
	parsed [2]*opentype.Font
	faces  map[faceKey]font.Face
}

type faceKey struct {
	bold bool
	size float64
}

// face is a face of size pixels. The caller holds the lock.
func face(bold bool, size float64) font.Face {
	key := faceKey{bold, size}
	if f := fonts.faces[key]; f != nil {
		return f
	}
	i, ttf := 0, goregular.TTF
	if bold {
		i, ttf = 1, gobold.TTF
	}
	if fonts.parsed[i] == nil {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic("render: embedded font: " + err.Error())
		}
		fonts.parsed[i] = f
	}
	f, err := opentype.NewFace(fonts.parsed[i], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("render: embedded font: " + err.Error())
	}
	if fonts.faces == nil {
		fonts.faces = map[faceKey]font.Face{}
	}
	fonts.faces[key] = f
	return f
}

// textWidth is the width of s in points. Viewers of SVG may use another font
// of about the same widths.
func textWidth(s string, st style) float64 {
	if s == "" {
		return 0
	}
	fonts.Lock()
	defer fonts.Unlock()
	return float64(font.MeasureString(face(st.bold, st.size), s)) / 64
}

// widest is the width of the widest text.
func widest(st style, texts ...string) float64 {
	w := 0.0
	for _, s := range texts {
		w = max(w, textWidth(s, st))
	}
	return w
}

// cut shortens s so that it fits in width points.
func cut(s string, st style, width float64) string {
	if textWidth(s, st) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 {
		r = r[:len(r)-1]
		if t := string(r) + "…"; textWidth(t, st) <= width {
			return t
		}
	}
	return ""
}
