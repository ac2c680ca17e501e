package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortNames(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"MPI_Send":                          "MPI_Send",
		"MPI_Send @ heat.c:25 [exchange]":   "MPI_Send @ heat.c:25 [exchange]",
		"a.cc:7 [f()] < b.cc:8 [main]":      "a.cc:7 [f()] < b.cc:8 [main]",
		"a.cc:7 [f(int, int)] < b.cc:8 [g]": "a.cc:7 [f(..)] < b.cc:8 [g]",
		"a.cc:7 [ns::f<int, std::map<A, B> >(A const&)]": "a.cc:7 [ns::f<..>(..)]",
		"a.cc:7 [(anonymous namespace)::f(int)] < b.cc:1 [g<1>()]": "a.cc:7 [(anonymous namespace)::f(..)] < " +
			"b.cc:1 [g<..>()]",
		"a.cc:7 [A::operator()(int) const]":                     "a.cc:7 [A::operator()(..) const]",
		"a.cc:7 [A::operator<(A const&)]":                       "a.cc:7 [A::operator<(..)]",
		"a.cc:7 [std::ostream& operator<<(std::ostream&, A)]":   "a.cc:7 [std::ostream& operator<<(..)]",
		"a.cc:7 [A::operator->()]":                              "a.cc:7 [A::operator->()]",
		"a.cc:7 [A::operator[](long)]":                          "a.cc:7 [A::operator[](..)]",
		"a.cc:7 [f[abi:cxx11](int)] < b":                        "a.cc:7 [f[abi:cxx11](int)] < b",
		"a.cc:7 [main::{lambda(int)#1}::operator()(int) const]": "a.cc:7 [main::{lambda(..)#1}::operator()(..) const]",
		"a.rs:7 [<alloc::Vec<T> as core::Drop>::drop]":          "a.rs:7 [<alloc::Vec<..> as core::Drop>::drop]",
		"a.f90:7 [module::solve] waits (as it does) for [1, 2] f(a, b)": "a.f90:7 [module::solve] waits (as it " +
			"does) for [1, 2] f(a, b)",
		"rank 1 (late), at x.cc:3 [f(int)], calls MPI_Send(buf, count)": "rank 1 (late), at x.cc:3 [f(..)], calls " +
			"MPI_Send(buf, count)",
		"a.cc:7 [f(int": "a.cc:7 [f(int", "a.cc:7 [f)x]": "a.cc:7 [f)x]", "a.cc:7 [f<x]": "a.cc:7 [f<x]",
		"a.cc:7 [A<(B)1>::f(A<(B)1>)]": "a.cc:7 [A<..>::f(..)]", "a.cc:7 [f(void (*)(int))]": "a.cc:7 [f(..)]",
	} {
		if got := ShortNames(in); got != want {
			t.Errorf("%s\n is %s\nnot %s", in, got, want)
		}
	}
}

// Whatever a name is, shortening it again makes nothing longer, but for lists of one character, of which there may be
// new ones where a bracket without its partner is gone.
func FuzzShortNames(f *testing.F) {
	f.Add("a.cc:7 [ns::f<int, std::map<A, B> >(A const&)] < b [operator()(x)]")
	f.Add("a [[[<<>><](({")
	f.Add("a.cc:7 [f<N [o map<A, B](A const&)> < N B]tor()(8)]") // "(8)" is a list the second time only
	f.Fuzz(func(t *testing.T, s string) {
		short := ShortNames(s)
		lists := strings.Count(short, "(") + strings.Count(short, "<")
		if again := ShortNames(short); len(again) > len(short)+lists {
			t.Errorf("%q becomes %q becomes %q", s, short, again)
		}
		if strings.Count(short, " < ") > strings.Count(s, " < ") {
			t.Errorf("%q becomes %q", s, short)
		}
	})
}

func TestCutNames(t *testing.T) {
	const chain = "MPI_Send @ a.c:1 [f] < b.c:2 [g] < c.c:3 [main]"
	for width, want := range map[int]string{
		100: chain, 47: chain, 46: "MPI_Send @ a.c:1 < b.c:2 [g] < c.c:3 [main]",
		42: "MPI_Send @ a.c:1 < b.c:2 < c.c:3 [main]", 38: "MPI_Send @ a.c:1 < b.c:2 < c.c:3",
		31: "MPI_Send @ a.c:1 < b.c:2 < ~", 24: "MPI_Send @ a.c:1 < ~", 17: "MPI_Send @ a.c:1", 14: "MPI_S~ @ a.c:1",
		10: "a.c:1", 4: "MPI~",
	} {
		if got := cutNames(chain, width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

// A table on a page fits it, unless its numbers alone do not.
func TestTableOnPage(t *testing.T) {
	write := func(width int, wide bool) []string {
		tab := NewTable(">time", "call", "for", ">n")
		tab.Row("1.00 s", "MPI_Send @ a.cc:1 [f(int)] < b.cc:2 [solve<double>(std::vector<double> const&)] < c.cc:3 "+
			"[main]",
			"MPI_Recv @ a.cc:9 [f(int)] < b.cc:2 [solve<double>(std::vector<double> const&)]", "12")
		tab.Row("2.00 ms", "short", "-", "3")
		var b bytes.Buffer
		tab.WriteText(&Page{Writer: &b, Width: width, Wide: wide})
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, width := range []int{60, 80, 100, 120} {
		lines := write(width, false)
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("%d characters in a line of %d: %s", n, width, l)
			}
		}
		if !strings.Contains(lines[1], "  MPI_Send @ a.cc:1 ") || !strings.HasSuffix(lines[1], " 12") {
			t.Errorf("width %d: %s", width, lines[1])
		}
	}
	if l := write(0, false)[1]; !strings.Contains(l, "[solve<..>(..)] < c.cc:3 [main]") {
		t.Errorf("without a limit: %s", l)
	}
	if l := write(80, true)[1]; !strings.Contains(l, "solve<double>(std::vector<double> const&)] < c.cc:3 [main]") {
		t.Errorf("wide: %s", l)
	}
}

// A column that is as wide as its head needs is not cut for ever.
func TestNarrowPageOfWideHeads(t *testing.T) {
	tab := NewTable("offset of access i", "functions and their sites")
	tab.Row("74*i", "MPI_Send @ a.c:1 [f] < b.c:2 [g] < c.c:3 [main]")
	var b strings.Builder
	tab.WriteText(&Page{Writer: &b, Width: 30})
	if want := "offset of access i functions\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s", b.String())
	}
}

func TestShortKernel(t *testing.T) {
	for name, want := range map[string]string{
		"sweep(double*, int)":                            "sweep",
		"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT": "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
		"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, " +
			"3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)": "vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, array<char*~",
		"void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float, false>(float " +
			"const*, float const*, int)": "layer_norm_grad_input_kernel_vectorized<float, float, false>",
		"void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::" +
			"{lambda(float)#1}, std::array<char*, 2ul> >(int)": "vectorized_elementwise_kernel<8, bfloat16_copy_kernel_cuda::{lambda}, a~",
		"f(int (*)(int), g<(a)1>)": "f",
		"":                         "", "(": "(", "a<": "a<", "a<b>(": "a<b>(", "void (": "(",
	} {
		if got := ShortKernel(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
