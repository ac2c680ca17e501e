# Reads a trace in Chrome's JSON and prints what is in it, as read_perfetto.py does.
import collections, json, sys
from decimal import Decimal

trace = json.load(open(sys.argv[1]), parse_float=Decimal)
REGIONS = "region", "function", "python", "openmp"  # categories of what the program names, and not of calls
stacks, regions, by_name = collections.defaultdict(list), collections.Counter(), collections.defaultdict(lambda: [0, 0])
marks, values = collections.Counter(), collections.defaultdict(lambda: [0, 0])
slices, requests, flows, last, asynchronous, starts = 0, 0, 0, {}, {}, {}
for e in trace["traceEvents"]:
    if e["ph"] == "M":
        continue
    thread, ns = (e["pid"], e["tid"]), int(e["ts"] * 1000)
    assert ns >= last.get(thread, 0), e
    last[thread] = ns
    if e["ph"] == "B":
        stacks[thread].append((e["name"], ns, e["cat"], e.get("args")))
    elif e["ph"] == "E":
        name, begin, category, args = stacks[thread].pop()
        assert (e["name"], e["cat"], e.get("args")) == (name, category, args), e  # as speedscope matches them
        if category in REGIONS:
            regions[name] += 1
            continue
        slices += 1
        by_name[name][0] += 1
        by_name[name][1] += ns - begin
    elif e["ph"] == "b":
        assert asynchronous.setdefault((e["id"], e["name"], e["cat"]), 0) == 0
        asynchronous[e["id"], e["name"], e["cat"]] = 1
    elif e["ph"] == "e":
        asynchronous[e["id"], e["name"], e["cat"]] -= 1
        requests += 1
    elif e["ph"] == "i":
        marks[e["name"]] += 1
    elif e["ph"] == "C":
        values[e["name"]][0] += 1
        values[e["name"]][1] += float(e["args"]["value"])
    else:
        assert e["ph"] in "sf" and stacks[thread], e
        starts.setdefault(e["id"], set()).add(e["ph"])
assert not any(stacks.values()) and not any(asynchronous.values())
assert all(len(s) == 2 for s in starts.values())
names = [e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"]
print(json.dumps({"slices": slices, "requests": requests, "flows": len(starts), "flow_ids": len(starts),
                  "functions": by_name, "regions": regions, "marks": marks, "values": values,
                  "threads": sorted(names)}))
