# Reads a Perfetto trace with the project's own message types, by the rules of trace_processor, and prints as JSON
# what is in it: slices, their time by name, flows. Ends with an error for what trace_processor would count as one.
import collections, json, sys, zlib
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
REGIONS = "region", "function", "python", "openmp"  # categories of what the program names, and not of calls
SEQUENCE_CLEARED, SEQUENCE_NEEDED = 1, 2


def packets(data):
    trace = pb.Trace()
    trace.ParseFromString(data)
    for p in trace.packet:
        if p.HasField("compressed_packets"):
            yield from packets(zlib.decompress(p.compressed_packets))
        else:
            yield p


class Sequence:
    def __init__(self):
        self.clocks, self.incremental, self.names, self.categories = {}, set(), {}, {}
        self.args, self.texts, self.sites, self.defaults = {}, {}, {}, None

    def time(self, p):
        clock = p.timestamp_clock_id or (self.defaults.timestamp_clock_id if self.defaults else 0) or 6
        if clock in self.incremental:
            self.clocks[clock] += p.timestamp
            return self.clocks[clock]
        assert clock == 6, clock
        return p.timestamp


def main(path):
    tracks, sequences, events, counters = {}, {}, [], collections.Counter()
    marks, values = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for order, p in enumerate(packets(open(path, "rb").read())):
        s = sequences.setdefault(p.trusted_packet_sequence_id, Sequence())
        assert p.trusted_packet_sequence_id > 0
        if p.sequence_flags & SEQUENCE_CLEARED:
            sequences[p.trusted_packet_sequence_id] = s = Sequence()
        if p.HasField("trace_packet_defaults"):
            s.defaults = p.trace_packet_defaults
        for c in p.clock_snapshot.clocks:
            s.clocks[c.clock_id] = c.timestamp
            if c.is_incremental:
                s.incremental.add(c.clock_id)
        for table, entries in ((s.names, p.interned_data.event_names), (s.categories, p.interned_data.event_categories),
                            (s.args, p.interned_data.debug_annotation_names)):
            for x in entries:
                assert x.iid not in table
                table[x.iid] = x.name
        for x in p.interned_data.debug_annotation_string_values:
            s.texts[x.iid] = x.str
        for x in p.interned_data.source_locations:
            s.sites[x.iid] = x
        if p.HasField("track_descriptor"):
            d = p.track_descriptor
            assert d.uuid not in tracks and (not d.parent_uuid or d.parent_uuid in tracks)
            tracks[d.uuid] = d
        if not p.HasField("track_event"):
            continue
        e = p.track_event
        track = e.track_uuid or s.defaults.track_event_defaults.track_uuid
        assert track in tracks
        if e.type == COUNTER:
            assert tracks[track].HasField("counter")
            counters[tracks[track].name] += 1
            values[tracks[track].name][0] += 1
            values[tracks[track].name][1] += e.double_counter_value
            s.time(p)
            continue
        assert p.sequence_flags & SEQUENCE_NEEDED
        name, args, category = None, {}, None
        if e.type == BEGIN:
            name, category = s.names[e.name_iid], s.categories[e.category_iids[0]]
            assert all(i in s.categories for i in e.category_iids) and e.category_iids
            assert not e.source_location_iid or e.source_location_iid in s.sites
            for a in e.debug_annotations:
                args[s.args[a.name_iid]] = s.texts[a.string_value_iid] if a.string_value_iid else a.uint_value
        if e.type == INSTANT:
            marks[s.names[e.name_iid]] += 1
            assert all(i in s.categories for i in e.category_iids) and s.time(p)
            continue
        events.append((s.time(p), order, track, e.type, name, args, tuple(e.flow_ids), category))
    # trace_processor sorts by time, and keeps the order of events of the same time.
    open_slices, slices, flows, flow_at = collections.defaultdict(list), [], 0, {}
    last = {}
    for time, order, track, kind, name, args, ids, category in sorted(events, key=lambda e: e[:2]):
        if kind == BEGIN:
            open_slices[track].append([track, name, time, args, category])
            here = open_slices[track][-1]
        else:
            here = open_slices[track].pop()  # an error if none is open: misplaced_end_event
            slices.append((*here, time - here[2]))
        for i in ids:
            if i in flow_at:
                flows += 1
            flow_at[i] = here
    assert not any(open_slices.values()), "slices without an end"
    regions = collections.Counter(x[1] for x in slices if x[4] in REGIONS)
    slices = [x for x in slices if x[4] not in REGIONS]
    calls = [x for x in slices if tracks[x[0]].HasField("thread")]
    requests = [x for x in slices if not tracks[x[0]].HasField("thread")]
    by_name = collections.defaultdict(lambda: [0, 0])
    for _, name, _, _, _, duration in calls:
        by_name[name][0] += 1
        by_name[name][1] += duration
    print(json.dumps({
        "slices": len(calls), "requests": len(requests), "flows": flows, "flow_ids": len(flow_at), "counters": counters,
        "functions": by_name, "threads": sorted(d.thread.thread_name for d in tracks.values() if d.HasField("thread")),
        "regions": regions, "marks": marks, "values": values,
        "bytes": sum(x[3].get("bytes", 0) for x in calls if "destination" in x[3]),
    }))


for path in sys.argv[1:]:
    main(path)
