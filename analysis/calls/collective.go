package calls

// collective works out root and bytes of a collective call, of the process's own buffers.
func (r *Reader) collective(t *term) {
	op := &t.op
	op.Root = NoPeer
	atRoot := false
	if t.act.root >= 0 {
		op.Root, atRoot = r.rootOf(t)
	}
	op.Send, op.Recv = Side{Peer: NoPeer, Tag: AnyTag}, Side{Peer: NoPeer, Tag: AnyTag}
	op.InPlace = t.has(rSendBuf) && t.v[rSendBuf] == r.p.consts.inPlace ||
		t.has(rRecvBuf) && t.v[rRecvBuf] == r.p.consts.inPlace
	if t.act.shape == noData {
		r.sided(t, &op.Send, rSendCount, rSendType)
		r.sided(t, &op.Recv, rRecvCount, rRecvType)
		return
	}
	send, recv := r.volume(t, atRoot)
	op.Send.Bytes, op.Recv.Bytes = send, recv
	if send != 0 && t.has(rSendCount) {
		op.Send.Count = t.v[rSendCount]
	}
	if recv != 0 && t.has(rRecvCount) {
		op.Recv.Count = t.v[rRecvCount]
	}
}

// rootOf is the root of a collective, and whether it is the process itself. In an intercommunicator
// the root says MPI_ROOT and the rest of its group MPI_PROC_NULL.
func (r *Reader) rootOf(t *term) (root int32, own bool) {
	v, c := t.v[rRoot], &r.p.consts
	switch {
	case !t.has(rRoot):
		return UnknownPeer, false
	case t.scope.Peers != nil && t.scope.Peers.comm.Inter && v == c.root:
		return r.pr.number, true
	case t.scope.Peers != nil && t.scope.Peers.comm.Inter && v == c.procNull:
		return ProcNull, false
	}
	root = r.peer(t, rRoot)
	return root, root == r.pr.number
}

// volume is how much a collective reads from and writes to the process's buffers.
func (r *Reader) volume(t *term, atRoot bool) (send, recv int64) {
	inter, n, own := false, UnknownBytes, -1
	if p := t.scope.Peers; p != nil {
		inter, own = p.comm.Inter, p.rank
		if n = int64(p.size); n == 0 {
			n = UnknownBytes
		}
	}
	part := func(count, typ int) int64 { return times(t.v[count], r.size(t, typ)) }
	// sent and received are the sizes of the whole buffers.
	sent := func(parts int64) int64 { return r.parts(t, rSendCount, rSendType, aSendCounts, aSendTypes, parts) }
	received := func(parts int64) int64 { return r.parts(t, rRecvCount, rRecvType, aRecvCounts, aRecvTypes, parts) }
	outside := inter && t.op.Root == ProcNull // in the root's group, but not the root
	switch t.act.shape {
	case bcastShape:
		b := part(rSendCount, rSendType)
		switch {
		case outside:
		case atRoot:
			return b, 0
		default:
			return 0, b
		}
	case reduceShape:
		b := part(rSendCount, rSendType)
		switch {
		case outside:
		case atRoot && inter:
			return 0, b
		case atRoot:
			return b, b
		default:
			return b, 0
		}
	case allreduceShape:
		b := part(rSendCount, rSendType)
		return b, b
	case gatherShape:
		switch {
		case outside:
		case atRoot && inter:
			return 0, received(n)
		case atRoot && t.op.InPlace:
			return r.own(t, rRecvCount, rRecvType, aRecvCounts, own), received(n)
		case atRoot:
			return part(rSendCount, rSendType), received(n)
		default:
			return part(rSendCount, rSendType), 0
		}
	case scatterShape:
		switch {
		case outside:
		case atRoot && inter:
			return sent(n), 0
		case atRoot && t.op.InPlace:
			return sent(n), r.own(t, rSendCount, rSendType, aSendCounts, own)
		case atRoot:
			return sent(n), part(rRecvCount, rRecvType)
		default:
			return 0, part(rRecvCount, rRecvType)
		}
	case allgatherShape:
		if t.op.InPlace {
			return r.own(t, rRecvCount, rRecvType, aRecvCounts, own), received(n)
		}
		return part(rSendCount, rSendType), received(n)
	case alltoallShape:
		if recv = received(n); t.op.InPlace {
			return recv, recv
		}
		return sent(n), recv
	case scatterAllShape:
		if t.act.recvCounts >= 0 {
			return received(n), r.own(t, rRecvCount, rRecvType, aRecvCounts, own)
		}
		b := part(rRecvCount, rRecvType)
		return times(b, n), b
	case neighborAllgatherShape:
		in, _ := r.degrees(t)
		return part(rSendCount, rSendType), received(in)
	case neighborAlltoallShape:
		in, out := r.degrees(t)
		return sent(out), received(in)
	}
	return 0, 0
}

// parts is the size of a buffer of n parts. They are equal, or have counts and possibly types of
// their own.
func (r *Reader) parts(t *term, count, typ, counts, types int, n int64) int64 {
	if !t.hasArray(counts) {
		if !t.has(count) {
			return UnknownBytes
		}
		return times(times(t.v[count], r.size(t, typ)), n)
	}
	ns := t.array(counts)
	if !t.hasArray(types) {
		return times(sum(ns), r.size(t, typ))
	}
	refs, total := t.array(types), int64(0)
	if len(refs) != len(ns) {
		return UnknownBytes
	}
	for i, k := range ns {
		if k != 0 {
			total = plus(total, times(k, r.sizeOf(t, refs[i])))
		}
	}
	return total
}

// own is the process's own part of a buffer that has one for each rank.
func (r *Reader) own(t *term, count, typ, counts, rank int) int64 {
	if !t.hasArray(counts) {
		return times(t.v[count], r.size(t, typ))
	}
	if ns := t.array(counts); rank >= 0 && rank < len(ns) {
		return times(ns[rank], r.size(t, typ))
	}
	return UnknownBytes
}
