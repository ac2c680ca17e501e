package report

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/openmp"
)

// OpenMPSchema names the form of OpenMP.
const OpenMPSchema = "tabard.openmp/1"

var _ = register[OpenMP](OpenMPSchema, "openmp --json")

// OpenMP is what the threads of OpenMP programs do.
type OpenMP struct {
	Schema     string            `json:"schema"`
	File       string            `json:"file"`
	Elapsed    time.Duration     `json:"elapsed_ns"`
	Efficiency openmp.Efficiency `json:"efficiency"`
	Unfinished uint64            `json:"unfinished_regions"`
	Regions    []OpenMPRegion    `json:"regions"`
	Processes  []OpenMPProcess   `json:"processes"`
}

// OpenMPRegion is all executions of the parallel regions with one call site.
type OpenMPRegion struct {
	Site    string        `json:"site"`
	Calls   uint64        `json:"calls"`
	Threads int           `json:"threads"`
	Elapsed time.Duration `json:"elapsed_ns"`
	openmp.Times
	Imbalance float64 `json:"imbalance"` // most / mean
	Tasks     uint64  `json:"tasks"`
	Singles   uint64  `json:"singles"`
	Processes int     `json:"processes"`
}

// OpenMPProcess is what the threads of one process spent their time on.
type OpenMPProcess struct {
	Process int32         `json:"process"`
	Threads int           `json:"threads"`
	Elapsed time.Duration `json:"elapsed_ns"`
	InMPI   time.Duration `json:"first_thread_in_mpi_ns"`
	Serial  time.Duration `json:"serial_ns"`
	openmp.Times
}

// OpenMP finds what the threads do.
func (j *Job) OpenMP() (*openmp.Result, error) {
	p := j.meter.Start("reading", "processes")
	defer p.Done()
	return openmp.Of(j.Program, p.Show)
}

// NewOpenMP makes the document of a result.
func NewOpenMP(file string, r *openmp.Result) *OpenMP {
	d := &OpenMP{Schema: OpenMPSchema, File: file, Elapsed: r.Elapsed(), Efficiency: r.Efficiency(),
		Unfinished: r.Unfinished, Regions: []OpenMPRegion{}, Processes: []OpenMPProcess{}}
	for i := range r.Regions {
		g := &r.Regions[i]
		d.Regions = append(d.Regions, OpenMPRegion{g.Site, g.Calls, g.Threads, g.Elapsed, g.Times, g.Imbalance(),
			g.Tasks,
			g.Singles, g.Processes})
	}
	for _, p := range r.Processes {
		d.Processes = append(d.Processes, OpenMPProcess{p.Process, p.Threads, p.End - p.Begin, p.InMPI, p.Serial,
			p.Times})
	}
	return d
}
