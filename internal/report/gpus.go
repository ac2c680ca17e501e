package report

import (
	"github.com/tabard-hpc/tabard/analysis/gpus"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/resolve"
)

// GPUs is what GPUs did.
type GPUs struct {
	Devices []GPU     `json:"devices"`
	Work    []GPUWork `json:"work"` // most time first
}

// GPU is a GPU as a rank uses it: how long it had work in at least one of its queues.
type GPU struct {
	Rank   int   `json:"rank"`
	Device int64 `json:"device"`
	Queues int   `json:"queues"`
	Busy   int64 `json:"busy_ns"`
}

// GPUWork is all work of one kind: a kernel, or copies in one direction.
type GPUWork struct {
	Event  string `json:"event"`
	Kernel string `json:"kernel,omitempty"`
	Copy   int64  `json:"copy,omitempty"` // 1 to the GPU, 2 from it, 8 in it, 10 between two
	Count  uint64 `json:"count"`
	Bytes  int64  `json:"bytes,omitempty"`
	Time   int64  `json:"time_ns"`
	Most   int64  `json:"most_ns"` // of the longest one
}

// gpus sums up what GPUs did, nil if that is not recorded, or without times.
func (j *Job) gpus() (*gpus.Result, error) {
	if has, err := records(j.Archive, "cuda"); !has || err != nil || j.NeedTimes() != nil {
		return nil, err
	}
	chosen, err := Resolve(j.Archive.Whole(), j.flags())
	if err != nil {
		return nil, err
	}
	p := j.meter.Start("reading what GPUs did", "events")
	defer p.Done()
	r, err := gpus.Of(chosen)
	if err != nil || len(r.Devices) == 0 {
		return nil, err
	}
	return r, nil
}

func gpusOf(arch *archive.Archive, r *gpus.Result) *GPUs {
	out := &GPUs{Devices: []GPU{}, Work: []GPUWork{}}
	for _, d := range r.Devices {
		out.Devices = append(out.Devices, GPU{arch.Rank(d.Process).Rank, d.Device, d.Queues, int64(d.Busy)})
	}
	for _, w := range r.Work {
		out.Work = append(out.Work, GPUWork{w.Func.Name, w.Kernel, w.Copy, w.Count, w.Bytes, int64(w.Time),
			int64(w.Most)})
	}
	return out
}

// copies are CUDA's kinds of copies.
var copies = map[int64]string{1: "copies to the GPU", 2: "copies from the GPU", 8: "copies in the GPU's memory",
	10: "copies between GPUs"}

// GPUWorkName says what a GPU did.
func GPUWorkName(w *gpus.Work) string {
	switch {
	case w.Kernel != "":
		return resolve.Readable(w.Kernel)
	case w.Func.Kernel() >= 0:
		return "kernels without a name"
	case w.Func.In("kind") < 0:
		return "memory that is set"
	case copies[w.Copy] != "":
		return copies[w.Copy]
	}
	return "other copies"
}
