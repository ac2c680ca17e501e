"""Reads traces of Paraver by the rules of their format, says what breaks one, and prints a line of JSON for each.

read_prv.py DIRECTORY...
"""

import json
import re
import sys
from collections import Counter, defaultdict

HEADER = re.compile(r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)$")
CALLS = range(50000001, 50000006)
REGION = 60000019
OPENMP = range(60000001, 60000007)
MARK = 61000000


def config(path):
    """The states, the values of each type of events, by number, and the names of types."""
    states, types, labels = {}, {}, {}
    part, current = None, []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line in ("STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES", "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"):
            part, current = line, [] if line == "EVENT_TYPE" else current
            continue
        if not line:
            part = None
        if part == "STATES":
            number, name = line.split(None, 1)
            states[int(number)] = name
        elif part == "EVENT_TYPE":
            _, number, label = line.split(None, 2)
            labels[int(number)] = label
            current.append(types.setdefault(int(number), {}))
        elif part == "VALUES":
            number, name = line.split(None, 1)
            for values in current:
                assert int(number) not in values, line
                values[int(number)] = name
    return states, types, labels


def rows(path):
    """The names of each level."""
    levels = {}
    lines = iter(open(path, encoding="utf-8").read().split("\n"))
    for line in lines:
        if line:
            _, level, _, n = line.split()
            levels[level] = [next(lines) for _ in range(int(n))]
    return levels


def read(folder):
    states, types, labels = config(folder + "/trace.pcf")
    names = rows(folder + "/trace.row")
    trace = open(folder + "/trace.prv", encoding="ascii")
    ftime, nodes, cpus, tasks, threads = HEADER.match(next(trace).rstrip("\n")).groups()
    ftime, cpus = int(ftime), [int(n) for n in cpus.split(",")]
    threads = [[int(n) for n in t.split(":")] for t in threads.split(",")]
    assert int(nodes) == len(cpus) == len(names["NODE"]) and int(tasks) == len(threads) == len(names["TASK"])
    assert sum(cpus) == len(names["CPU"]) and sum(n for n, _ in threads) == len(names["THREAD"])
    node_of = [n for n, c in enumerate(cpus, 1) for _ in range(c)]
    cpu_of = {}

    def place(words):
        cpu, application, task, thread = words
        assert application == 1 and 1 <= thread <= threads[task - 1][0], words
        assert node_of[cpu - 1] == threads[task - 1][1], words
        assert cpu_of.setdefault((task, thread), cpu) == cpu, words
        return task, thread

    last = 0
    until = {}  # the end of the last state of each thread
    open_calls, regions = defaultdict(list), defaultdict(list)
    functions, pairs, entered = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0]), Counter()
    in_state, constructs, stacks = Counter(), Counter(), defaultdict(list)
    marks, values = Counter(), defaultdict(lambda: [0, 0])
    comms = 0
    for line in trace:
        kind, *words = line.rstrip("\n").split(":")
        words = [int(w) for w in words]
        who = place(words[:4])
        at = words[4]
        assert last <= at <= ftime, line
        last = at
        if kind == "1":
            begin, end, state = words[4:]
            assert until.get(who, begin) == begin < end <= ftime and state in states, line
            until[who] = end
            in_state[states[state]] += end - begin
        elif kind == "2":
            pairs_of = list(zip(words[5::2], words[6::2]))
            assert len(words) % 2 == 1 and pairs_of, line
            for number, value in pairs_of:
                assert number in types and (not types[number] or value in types[number]), line
                if number in CALLS and value:
                    open_calls[who].append((number, value, at))
                elif number in CALLS:
                    begun = open_calls[who].pop()
                    assert begun[0] == number, line
                    entry = functions[types[number][begun[1]]]
                    entry[0] += 1
                    entry[1] += at - begun[2]
                elif number == REGION and value:
                    regions[who].append(value)
                    entered[types[REGION][value]] += 1
                elif number == REGION:
                    regions[who].pop()
                elif number in OPENMP and value:
                    stacks[who].append(number)
                    constructs["omp_" + types[number][value]] += 1
                elif number in OPENMP:
                    assert stacks[who].pop() == number, line
                elif number == MARK:
                    marks[types[MARK][value]] += 1
                elif number > MARK and number in labels:
                    entry = values[labels[number].removesuffix(" (in thousandths)")]
                    entry[0] += 1
                    entry[1] += value / 1000
        else:
            assert kind == "3" and len(words) == 14, line
            receiver = place(words[6:10])
            sent, posted, received, size, _ = words[5], *words[10:14]
            assert at <= sent <= ftime and posted <= received <= ftime, line
            cell = pairs[who[0] - 1, receiver[0] - 1]
            cell[0] += 1
            cell[1] += size
            comms += 1
    assert not any(open_calls.values()) and not any(regions.values()) and not any(stacks.values())
    assert last <= ftime
    return {"slices": sum(n for n, _ in functions.values()), "flows": comms, "flow_ids": comms, "functions": functions,
            "pairs": [[a, b, *cell] for (a, b), cell in sorted(pairs.items())], "regions": entered, "constructs": constructs,
            "marks": marks, "values": values, "states": in_state}


for name in sys.argv[1:]:
    print(json.dumps(read(name)))
