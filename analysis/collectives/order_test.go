package collectives

import "testing"

// TestOrder: what process 0 wrote by its call 5 is there for process 2 when it has heard of that, by way of process 1,
// and not before; what process 2 reads left process 0 after the last call that it has heard of.
func TestOrder(t *testing.T) {
	o := newOrder()
	for p := range int32(3) {
		o.streams[p] = p
	}
	message := func(from int32, sent uint64, to int32, received uint64) {
		o.add([]spot{{from, sent}}, []spot{{to, received}})
	}
	message(0, 4, 2, 3) // before it is done
	message(0, 6, 1, 8)
	message(1, 7, 2, 4) // before process 1 knows
	message(1, 9, 2, 9)
	ms := []Message{{From: 0, To: 2}, {From: 0, To: 2}, {From: 0, To: 2}}
	o.awaits(spot{0, 5}, 2, 0)
	o.asks(spot{2, 8}, 1)
	o.asks(spot{2, 10}, 2)
	newClocks(o, ms).run()
	if ms[0].Received != 9 || ms[1].Sent != 5 || ms[2].Sent != 7 || len(o.known) != 3 {
		t.Errorf("%+v, known %v", ms, o.known)
	}
}

// TestOrderOfBarriers: all have heard of all behind a barrier; nobody who never came has.
func TestOrderOfBarriers(t *testing.T) {
	o := newOrder()
	for p := range int32(4) {
		o.streams[p] = p
	}
	calls := []spot{{0, 3}, {1, 4}, {2, 5}}
	o.add(append([]spot(nil), calls...), append([]spot(nil), calls...))
	ms := []Message{{From: 0, To: 1}, {From: 0, To: 3}, {From: 0, To: 2}}
	o.awaits(spot{0, 2}, 1, 0)
	o.awaits(spot{0, 2}, 3, 1)
	o.awaits(spot{0, 4}, 2, 2) // after it
	newClocks(o, ms).run()
	if ms[0].Received != 4 || !o.known[0] || o.known[1] || o.known[2] {
		t.Errorf("%+v, known %v", ms, o.known)
	}
}
