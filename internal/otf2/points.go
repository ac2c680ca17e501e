package otf2

import "math"

// Kinds of definitions and events of what happens at a moment: values of metrics and of parameters.
const (
	defMetricMember   = 19
	defMetricClass    = 20
	defMetricInstance = 21
	defParameter      = 23

	evMetric          = 31
	evParameterString = 32
	evParameterInt    = 33
	evParameterUint   = 34

	absolutePoint = 0x11 // a metric's value is that of the moment
	decimal       = 1    // base of its exponent
	asynchronous  = 2    // its values come when they come, not at each begin and end of a region
)

// Metric numbers a series of values by its name.
func (d *Definitions) Metric(name string) uint32 {
	id, ok := d.metrics[name]
	if ok {
		return id
	}
	id = uint32(len(d.metrics))
	d.metrics[name] = id
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u32(d.String(""))
	d.rec.u8(0) // of none of the kinds that have a name
	d.rec.u8(absolutePoint)
	d.rec.u8(typeDouble)
	d.rec.u8(decimal)
	d.rec.u64(0)
	d.rec.u32(d.String(""))
	d.put(defMetricMember)
	d.rec.u32(id)
	d.rec.u8(1)
	d.rec.u32(id)
	d.rec.u8(asynchronous)
	d.rec.u8(0)
	d.put(defMetricClass)
	return id
}

// MarkParameter is the name of the parameter whose values are the names of marks.
const MarkParameter = "mark"

// Marks defines the parameter whose values are names of marks, and returns its number.
func (d *Definitions) Marks() uint32 {
	if !d.marks {
		d.marks = true
		d.rec.u32(0)
		d.rec.u32(d.String(MarkParameter))
		d.rec.u8(0) // of texts
		d.put(defParameter)
	}
	return 0
}

// Metric is a value at a moment.
func (e *Events) Metric(t uint64, metric uint32, value float64) error {
	e.values.u32(metric)
	e.values.u8(1)
	e.values.u8(typeDouble)
	e.values.u64(math.Float64bits(value))
	return e.put(t, evMetric, true)
}

// Parameter is a text at a moment.
func (e *Events) Parameter(t uint64, parameter, text uint32) error {
	e.values.u32(parameter)
	e.values.u32(text)
	return e.put(t, evParameterString, true)
}

// MetricMember is what a metric's values are.
type MetricMember struct {
	Name   string
	factor float64
}

// MetricClass is the metrics that come together.
type MetricClass struct {
	Members []uint32
	// Strict is set if there are values at each begin and end of a region.
	Strict bool
}

// member reads the definition of a metric.
func (n *named) member(r *reader) {
	id, name := r.u32(), r.u32()
	r.u32() // description
	r.u8()
	r.u8() // mode
	r.u8() // type: events say it, too
	base := 2.0
	if r.u8() == decimal {
		base = 10
	}
	m := MetricMember{factor: math.Pow(base, float64(int64(r.u64())))}
	n.late = append(n.late, func() {
		m.Name = n.d.Strings[name]
		n.d.MetricMembers[id] = m
	})
}

// metric reads the definition of a class of metrics.
func (n *named) metric(r *reader) {
	id, count := r.u32(), r.u8()
	var c MetricClass
	for range count {
		c.Members = append(c.Members, r.u32())
	}
	c.Strict = r.u8() == 0
	n.d.Metrics[id] = c
}

// MetricValue is a value that an event says.
type MetricValue struct {
	Name  string
	Value float64
}

// point reads what a metric or a parameter says.
func (e *EventReader) point(x *Event, v *reader) {
	if x.Kind == Metric {
		e.metric(x, v)
		return
	}
	x.Text = e.a.Parameters[e.local.global(mapParameter, v.u32())]
	switch bits := v.u64(); x.Kind {
	case ParameterString:
		x.Value = e.a.Strings[e.local.global(mapString, uint32(bits))]
	case ParameterInt:
		x.Metrics = append(x.Metrics, MetricValue{x.Text, float64(int64(bits))})
	default:
		x.Metrics = append(x.Metrics, MetricValue{x.Text, float64(bits)})
	}
}

// metric reads values of a class of metrics.
func (e *EventReader) metric(x *Event, v *reader) {
	id := e.local.global(mapMetric, v.u32())
	types := v.take(int(v.u8()))
	class, ok := e.a.Metrics[id]
	x.Strict = !ok || class.Strict
	for i, typ := range types {
		bits := v.u64()
		if i >= len(class.Members) {
			continue
		}
		value := float64(bits)
		switch typ {
		case typeDouble:
			value = math.Float64frombits(bits)
		case typeInt64:
			value = float64(int64(bits))
		}
		m := e.a.MetricMembers[class.Members[i]]
		x.Metrics = append(x.Metrics, MetricValue{m.Name, value * m.factor})
	}
}
