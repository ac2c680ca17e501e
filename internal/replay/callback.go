package replay

import (
	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// neutral are the executor's callbacks.
var neutral = map[rerun.Callback]int64{
	rerun.OpFunction: callbackOp, rerun.OpFunctionLarge: callbackOpLarge, rerun.CopyAttribute: callbackCopy, rerun.DeleteAttribute: callbackDelete,
	rerun.ErrhandlerFunction: callbackErrhandler, rerun.GrequestQuery: callbackGrequestQuery, rerun.GrequestFree: callbackGrequestFree,
	rerun.GrequestCancel: callbackGrequestCancel, rerun.GrequestPoll: callbackGrequestPoll, rerun.GrequestWait: callbackGrequestWait,
	rerun.DatarepExtent: callbackDatarepExtent, rerun.DatarepConversion: callbackDatarepConversion,
	rerun.EventCallback: callbackEvent, rerun.EventDropped: callbackEventDropped, rerun.EventFree: callbackEventFree,
}

// callback lowers a callback: neutral ones stand for those of the program. Constants of the standard
// such as MPI_NULL_COPY_FN are numbers in some MPIs.
func (c *caller) callback(p *rerun.Param, v *value) argument {
	call := func(n int64) argument { return argument{op: opCallback, a: n} }
	if len(v.raw) < 3 || trace.Mem(v.raw[0]) != trace.Literal {
		return call(neutral[p.Callback])
	}
	literal, to := v.raw[2], c.l.o.Target.To
	switch p.Callback {
	case rerun.CopyAttribute:
		if literal == 1 && c.l.o.Target.From == spec.MPI5 {
			return call(callbackCopy) // MPI_DUP_FN
		}
		if to != spec.MPICH {
			return call(callbackNoCopy)
		}
	case rerun.DeleteAttribute:
		if to != spec.MPICH {
			return call(callbackDelete)
		}
	}
	return call(callbackNone)
}
