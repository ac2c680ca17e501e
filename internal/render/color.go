package render

import (
	"fmt"
	"image/color"
	"math"
)

// viridis are ten equidistant colours of the viridis map, from dark to light.
var viridis = [10]color.RGBA{
	rgb(0x440154), rgb(0x482878), rgb(0x3e4989), rgb(0x31688e), rgb(0x26828e),
	rgb(0x1f9e89), rgb(0x35b779), rgb(0x6ece58), rgb(0xb5de2b), rgb(0xfde725),
}

// Colours of categories that can be told apart by everyone (Okabe and Ito, Color Universal Design).
var (
	Orange     = rgb(0xe69f00)
	SkyBlue    = rgb(0x56b4e9)
	Green      = rgb(0x009e73)
	Yellow     = rgb(0xf0e442)
	Blue       = rgb(0x0072b2)
	Vermillion = rgb(0xd55e00)
	Purple     = rgb(0xcc79a7)
	Grey       = rgb(0xd9dde2)
	DarkGrey   = rgb(0x8a939e)
	Slate      = rgb(0x39424d) // as a background on dark terminals
	PaleBlue   = rgb(0xb3c7dc)
	SlateBlue  = rgb(0x4d6178)
)

// Colours of pictures.
var (
	paper = rgb(0xffffff)
	ink   = rgb(0x1f2933)
	faint = rgb(0x66717d) // secondary text
	rule  = rgb(0xc9d0d8) // frames and ticks
	grid  = rgb(0xe9ecf0)
)

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Viridis is the colour of t, from 0 (dark) to 1 (light).
func Viridis(t float64) color.RGBA {
	x := math.Max(0, math.Min(1, t)) * float64(len(viridis)-1)
	i := min(int(x), len(viridis)-2)
	return mix(viridis[i], viridis[i+1], x-float64(i))
}

// mix is the colour between a (t=0) and b (t=1).
func mix(a, b color.RGBA, t float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-t) + float64(y)*t)) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// blend mixes colours by weights that add up to at most 1; what is missing is base.
func blend(base color.RGBA, colors []color.RGBA, weights []float64) color.RGBA {
	// Mixing light, not numbers: otherwise mixtures are too dark.
	var sum [3]float64
	rest := 1.0
	add := func(c color.RGBA, w float64) {
		for i, x := range [3]uint8{c.R, c.G, c.B} {
			sum[i] += w * toLinear(x)
		}
	}
	for i, w := range weights {
		if w > 0 {
			add(colors[i], w)
			rest -= w
		}
	}
	add(base, math.Max(rest, 0))
	return color.RGBA{fromLinear(sum[0]), fromLinear(sum[1]), fromLinear(sum[2]), 255}
}

func toLinear(x uint8) float64 { return math.Pow(float64(x)/255, 2.2) }

func fromLinear(v float64) uint8 {
	return uint8(math.Round(255 * math.Pow(math.Max(0, math.Min(1, v)), 1/2.2)))
}

// xterm is the nearest of the 240 fixed colours of 256-colour terminals.
func xterm(c color.RGBA) int {
	level := func(x uint8) int { // of the 6x6x6 cube: 0, 95, 135, 175, 215, 255
		if x < 48 {
			return 0
		}
		return max(1, (int(x)-35)/40)
	}
	value := func(l int) int {
		if l == 0 {
			return 0
		}
		return 55 + 40*l
	}
	r, g, b := level(c.R), level(c.G), level(c.B)
	cube := distance(c, value(r), value(g), value(b))
	grey := max(0, min(23, ((int(c.R)+int(c.G)+int(c.B))/3-3)/10))
	if y := 8 + 10*grey; distance(c, y, y, y) < cube {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}

func distance(c color.RGBA, r, g, b int) int {
	dr, dg, db := int(c.R)-r, int(c.G)-g, int(c.B)-b
	return dr*dr + dg*dg + db*db
}
