# Reads archives of OTF2 with the library of the format, and prints what is in each: calls and time by function, calls
# by function and rank, messages by sender and receiver as sends and as receives have them, regions of the program.
import collections, json, sys

import otf2
from otf2.enums import GroupType, Paradigm


def member(comm, me, rank):
    """The process that a rank in a communicator is."""
    group = comm.group
    if group.group_type == GroupType.COMM_SELF:
        return me
    return group.members[rank]


def read(path):
    functions = collections.defaultdict(lambda: [0, 0])
    by_rank = collections.Counter()
    sent, received, regions = {}, {}, collections.Counter()
    stacks, last = collections.defaultdict(list), collections.defaultdict(int)
    requests = collections.defaultdict(dict)
    collectives, begun = collections.Counter(), collections.Counter()
    remote, complete = collections.Counter(), collections.Counter()
    marks, values = collections.Counter(), collections.defaultdict(lambda: [0, 0])

    def add(table, a, b, size):
        cell = table.setdefault((a, b), [0, 0])
        cell[0] += 1
        cell[1] += size

    with otf2.reader.open(path) as trace:
        d = trace.definitions
        assert d.clock_properties.timer_resolution == 10**9
        locations = list(d.locations)
        world = [g for g in d.groups if g.group_type == GroupType.COMM_LOCATIONS]
        number = {l: i for g in world for i, l in enumerate(g.members)}
        for location, e in trace.events:
            assert e.time >= last[location]
            last[location] = e.time
            group, stack, kind = location.group, stacks[location], type(e).__name__
            me = next((l for l in locations if l.group == group and l in number), None)
            if kind == "Enter":
                stack.append((e.region, e.time))
            elif kind == "Leave":
                region, begin = stack.pop()
                assert region == e.region
                if region.paradigm == Paradigm.USER:
                    regions[region.name] += 1
                    continue
                functions[region.name][0] += 1
                functions[region.name][1] += e.time - begin
                by_rank[group.name, region.name] += 1
            elif kind in ("MpiSend", "MpiIsend"):
                add(sent, number[me], number[member(e.communicator, me, e.receiver)], e.msg_length)
                if kind == "MpiIsend":
                    assert requests[location].setdefault(e.request_id, "send") == "send"
            elif kind in ("MpiRecv", "MpiIrecv"):
                add(received, number[member(e.communicator, me, e.sender)], number[me], e.msg_length)
                if kind == "MpiIrecv":
                    assert requests[location].pop(e.request_id) == "recv"
            elif kind == "MpiIsendComplete":
                assert requests[location].pop(e.request_id) == "send"
            elif kind == "MpiIrecvRequest":
                assert e.request_id not in requests[location]
                requests[location][e.request_id] = "recv"
            elif kind == "MpiRequestCancelled":
                del requests[location][e.request_id]
            elif kind == "MpiCollectiveBegin":
                begun[location] += 1
            elif kind == "MpiCollectiveEnd":
                begun[location] -= 1
                assert begun[location] >= 0
                collectives[stack[-1][0].name] += 1
            elif kind == "NonBlockingCollectiveRequest":
                requests[location][e.request_id] = "coll"
            elif kind == "NonBlockingCollectiveComplete":
                assert requests[location].pop(e.request_id) == "coll"
            elif kind in ("RmaPut", "RmaGet", "RmaAtomic"):
                remote[kind] += 1
            elif kind == "ParameterString" and e.parameter.name == "mark":
                marks[e.string] += 1
            elif kind == "Metric":
                entry = values[e.member.name]
                entry[0] += 1
                entry[1] += e.value
            elif kind == "RmaOpCompleteBlocking":
                complete[kind] += 1
        assert not any(stacks.values()) and not any(begun.values())
        pending = collections.Counter(k for r in requests.values() for k in r.values())
        counts = sum(l.number_of_events for l in locations)
    cells = lambda table: sorted([a, b, n, size] for (a, b), (n, size) in table.items())
    return {"functions": functions, "ranks": [[g, f, n] for (g, f), n in sorted(by_rank.items())],
            "sent": cells(sent), "received": cells(received), "regions": regions, "pending": pending,
            "collectives": collectives, "remote": remote, "complete": sum(complete.values()), "events": counts,
            "marks": marks, "values": values, "slices": sum(n for n, _ in functions.values())}


for path in sys.argv[1:]:
    print(json.dumps(read(path)))
