package replay

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// neutral are the executor's callbacks.
var neutral = map[program.Callback]int64{
	program.OpFunction: callbackOp, program.OpFunctionLarge: callbackOpLarge, program.CopyAttribute: callbackCopy,
	program.DeleteAttribute:    callbackDelete,
	program.ErrhandlerFunction: callbackErrhandler, program.GrequestQuery: callbackGrequestQuery,
	program.GrequestFree:   callbackGrequestFree,
	program.GrequestCancel: callbackGrequestCancel, program.GrequestPoll: callbackGrequestPoll,
	program.GrequestWait: callbackGrequestWait, program.DatarepExtent: callbackDatarepExtent,
	program.DatarepConversion: callbackDatarepConversion,
	program.EventCallback:     callbackEvent, program.EventDropped: callbackEventDropped,
	program.EventFree: callbackEventFree,
}

// Callback lowers a callback: neutral ones stand for those of the program. Constants of the
// standard such as MPI_NULL_COPY_FN are numbers in some MPIs.
func (c *caller) Callback(p *program.Param) passed {
	call := func(n int64) passed { return passed{argument: argument{op: opCallback, a: n}} }
	v := &c.plan.vals[p.Before]
	if len(v.raw) < 3 || archive.Mem(v.raw[0]) != archive.Literal {
		return call(neutral[p.Callback])
	}
	literal, to := v.raw[2], c.l.o.Target.To
	switch p.Callback {
	case program.CopyAttribute:
		if literal == 1 && c.l.o.Target.From == spec.MPI5 {
			return call(callbackCopy) // MPI_DUP_FN
		}
		if to != spec.MPICH {
			return call(callbackNoCopy)
		}
	case program.DeleteAttribute:
		if to != spec.MPICH {
			return call(callbackDelete)
		}
	}
	return call(callbackNone)
}
