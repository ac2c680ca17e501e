package report

import (
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/spec"
)

// locks are the places where threads wait for locks, the dearest first; none if that is not recorded, or without times.
func (j *Job) locks() ([]findings.Lock, error) {
	if has, err := records(j.Archive, "threads"); !has || err != nil || j.NeedTimes() != nil {
		return nil, err
	}
	chosen, err := Resolve(j.Archive.Whole(), j.flags())
	if err != nil {
		return nil, err
	}
	p, err := profile.Of(chosen, profile.Options{By: profile.GroupBy{Func: true, Site: true}, Timing: profile.Summary})
	if err != nil {
		return nil, err
	}
	var locks []findings.Lock
	for _, r := range p.Rows {
		if r.Func.Op != spec.OpThreadLock || r.Time == nil {
			continue
		}
		l := findings.Lock{Func: r.Func.Name, Waits: r.Calls, Time: r.Time.Total}
		if r.Site != nil {
			l.Site = r.Site.String()
		}
		locks = append(locks, l)
	}
	return locks, nil
}
