"""Tests of the package on a recording: python3 -m unittest, with TABARD and TABARD_RECORDING in the environment."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import unittest

import tabard

FILE = os.environ["TABARD_RECORDING"]
BINARY = os.environ["TABARD"]


def cli(*words):
    return json.loads(subprocess.run([BINARY, *words, "--json"], stdout=subprocess.PIPE, check=True).stdout)


def children():
    """The processes that this one has started and not waited for."""
    with open("/proc/self/task/%d/children" % os.getpid()) as f:
        return f.read().split()


class Package(unittest.TestCase):
    def setUp(self):
        self.run_ = tabard.open(FILE)

    def test_meta(self):
        self.assertEqual(self.run_.meta, cli("info", FILE))
        self.assertIn("%d ranks" % self.run_.meta["ranks"], repr(self.run_))

    def test_profile(self):
        for by in ("function", ("function", "rank"), "site"):
            t = self.run_.profile(by=by)
            word = by if isinstance(by, str) else ",".join(by)
            want = cli("profile", FILE, "--by", word)
            self.assertEqual(t.document, want)
            self.assertEqual([r["calls"] for r in t], [r["calls"] for r in want["rows"]])
            self.assertEqual(sum(r["calls"] for r in t), self.run_.meta["calls"])
            self.assertTrue(all(list(r) == t.columns for r in t))
        self.assertIn("times.total_ns", self.run_.profile(by="function").columns)
        some = self.run_.profile(by="function", rank=range(0, 2))
        self.assertEqual(some.document, cli("profile", FILE, "--by", "function", "--rank", "0-1"))
        self.assertLess(sum(r["calls"] for r in some), self.run_.meta["calls"])

    def test_traffic(self):
        t = self.run_.traffic()
        self.assertGreater(len(t), 0)
        self.assertEqual([list(r.values()) for r in t], cli("matrix", FILE)["cells"])

    def test_waits(self):
        for of in ("waits", "causes", "processes", "steps"):
            self.assertEqual(len(self.run_.waits(of=of)), len(cli("waits", FILE, "--limit", "0").get(of) or []))
        with self.assertRaises(ValueError):
            self.run_.waits(of="nothing")

    def test_loops(self):
        t = self.run_.loops()
        self.assertEqual(len(t), json.dumps(cli("loops", FILE)).count('"kind": "loop"'))
        self.assertGreater(len(t), 0)

    def test_calls(self):
        every = list(self.run_.calls())
        self.assertEqual(len(every), self.run_.meta["calls"])
        sends = [c for c in every if c["func"].startswith("MPI_Send")]
        self.assertEqual(list(self.run_.calls(function="MPI_Send*")), sends)
        self.assertEqual(list(self.run_.calls(rank=1)), [c for c in every if c["rank"] == 1])
        a, b = every[20]["start_ns"], every[20]["end_ns"]
        self.assertEqual(list(self.run_.calls(time=(a, b))),
                         [c for c in every if c["start_ns"] < b and c["end_ns"] >= a])

    def test_calls_are_lazy(self):
        it = self.run_.calls()
        next(it)
        self.assertEqual(len(children()), 1)
        it.close()
        self.assertEqual(children(), [])
        it = self.run_.calls()
        next(it)
        del it
        gc.collect()
        self.assertEqual(children(), [])

    def test_errors(self):
        with self.assertRaises(tabard.TabardError) as caught:
            tabard.open("/none/such.tabard")
        self.assertIn("/none/such.tabard", str(caught.exception))
        self.assertNotIn("Run 'tabard", str(caught.exception))
        self.assertGreater(caught.exception.code, 0)
        for bad in (lambda: self.run_.profile(by="colour"), lambda: list(self.run_.calls(rank="x")),
                    lambda: self.run_.ask("profile", no_such_flag=1), lambda: self.run_.export("pdf", "x")):
            with self.assertRaises(tabard.TabardError):
                bad()
        with self.assertRaises(tabard.TabardError) as caught:
            tabard.open(FILE, program="/none/tabard")
        self.assertIn("/none/tabard", str(caught.exception))

    def test_names_that_look_like_flags(self):
        with tempfile.TemporaryDirectory() as d:
            here = os.getcwd()
            os.symlink(os.path.abspath(FILE), os.path.join(d, "--help"))
            try:
                os.chdir(d)
                self.assertEqual(tabard.open("--help", program=os.path.join(here, BINARY)).meta["calls"],
                                 self.run_.meta["calls"])
            finally:
                os.chdir(here)

    def test_export(self):
        with tempfile.TemporaryDirectory() as d:
            out = self.run_.export("folded", os.path.join(d, "x.folded"), value="calls")
            with open(out) as f:
                self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in f), self.run_.meta["calls"])

    def test_no_pandas_needed(self):
        code = "import sys; sys.modules['pandas'] = None; import tabard; print(len(tabard.open(%r).profile()))" % FILE
        out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout
        self.assertGreater(int(out), 0)

    @unittest.skipIf("TABARD_WITHOUT_PANDAS" in os.environ, "this Python is to be one without pandas and NumPy")
    def test_events(self):
        every = list(self.run_.calls())
        events = self.run_.events()
        self.assertEqual(len(events), len(every))
        got = events.numpy()
        self.assertEqual(list(got), events.columns)
        self.assertEqual(got["function"].tolist(), [c["func"] for c in every])
        self.assertEqual(got["start_ns"].tolist(), [c["start_ns"] for c in every])
        self.assertEqual((got["start_ns"] + got["duration_ns"]).tolist(), [c["end_ns"] for c in every])
        rows = {r["func"]: r for r in self.run_.profile(by="function")}
        for f, row in rows.items():
            of = got["function"] == f
            self.assertEqual(of.sum(), row["calls"])
            self.assertEqual(got["bytes"][of].filled(0).sum(), row["bytes"])
        frame = events.pandas()
        self.assertEqual(frame.groupby("function", observed=True)["call"].count().to_dict(),
                         {f: r["calls"] for f, r in rows.items()})
        self.assertEqual(int(frame["bytes"].sum()), sum(r["bytes"] for r in rows.values()))
        self.assertEqual(int(frame["partner"].isna().sum()), int(got["partner"].mask.sum()))
        one = self.run_.events(rank=1, function="MPI_Allreduce")
        self.assertEqual(one.numpy()["call"].tolist(),
                         [c["index"] for c in every if c["rank"] == 1 and c["func"] == "MPI_Allreduce"])
        self.assertEqual(len(self.run_.events(function="MPI_Comm_spawn")), 0)
        self.assertEqual(children(), [])

    @unittest.skipIf("TABARD_WITHOUT_PANDAS" in os.environ, "this Python is to be one without pandas and NumPy")
    def test_messages_steps_matrix(self):
        messages, totals = self.run_.messages(), cli("matrix", FILE)["totals"]["p2p"]
        self.assertEqual(len(messages), totals["messages"])
        self.assertEqual(messages.numpy()["bytes"].sum(), totals["bytes"])
        self.assertEqual(self.run_.matrix().sum(), totals["bytes"])
        self.assertEqual(self.run_.matrix("messages").sum(), totals["messages"])
        for a, b, n, size in cli("matrix", FILE)["cells"]:
            self.assertEqual(self.run_.matrix()[a, b], size)
        steps = self.run_.steps().numpy()
        self.assertEqual(len(set(steps["step"].tolist())), len(self.run_.ask("report")["steps"]["steps"]))
        self.assertEqual(set(steps["rank"].tolist()), set(range(self.run_.meta["ranks"])))

    @unittest.skipIf("TABARD_WITHOUT_PANDAS" in os.environ, "this Python is to be one without pandas and NumPy")
    def test_events_in_other_processes(self):
        code = ("import multiprocessing, sys, tabard\n"
                "def rows(rank): return len(run.events(rank=rank))\n"
                "run = tabard.open(%r)\n"
                "if __name__ == '__main__':\n"
                "    run.events()\n"
                "    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:\n"
                "        print(sum(pool.map(rows, range(run.meta['ranks']))))\n" % FILE)
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "job.py")
            with open(path, "w") as f:
                f.write(code)
            for method in ("fork", "spawn"):
                out = subprocess.run([sys.executable, path, method], stdout=subprocess.PIPE, check=True, timeout=120).stdout
                self.assertEqual(int(out), self.run_.meta["calls"])

    def test_events_too_many(self):
        from tabard import _events

        for rows, memory in ((_events.MOST_ROWS + 1, 1 << 50), (1000, 1000)):
            with self.assertRaises(tabard.TabardError) as caught:
                _events.check(rows, False, memory)
            self.assertIn("force=True", str(caught.exception))
            _events.check(rows, True, memory)
        _events.check(1000, False, 1 << 30)

    def test_arrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("this Python has no pyarrow")
        table = pyarrow.table(self.run_.events())
        self.assertEqual(table.num_rows, self.run_.meta["calls"])
        table.validate(full=True)
        want = {r["func"]: r["calls"] for r in self.run_.profile(by="function")}
        got = table.group_by("function").aggregate([("call", "count")]).to_pylist()
        self.assertEqual({r["function"]: r["call_count"] for r in got}, want)
        import polars

        self.assertEqual(polars.DataFrame(self.run_.events()).height, table.num_rows)

    def test_other_answers(self):
        self.assertEqual(len(self.run_.findings()), len(cli("report", FILE)["findings"]))
        self.assertEqual(self.run_.efficiency(), cli("report", FILE)["efficiency"])
        self.assertEqual(len(self.run_.outliers()), len(cli("outliers", FILE)["outliers"]))
        self.assertEqual(len(self.run_.collectives()), len(cli("collectives", FILE)["findings"]))
        self.assertEqual(len(self.run_.functions()), 0)
        for h in cli("histogram", FILE)["histograms"]:
            self.assertEqual(sum(b["messages"] for b in self.run_.sizes() if b["kind"] == h["kind"]), h["messages"])
        self.assertEqual(len(self.run_.diff(FILE)), 0)
        with tempfile.TemporaryDirectory() as d:
            with self.assertRaises(tabard.TabardError):
                self.run_.diff(os.path.join(d, "none.tabard"))

    @unittest.skipIf("TABARD_WITHOUT_PANDAS" in os.environ, "this Python is to be one without pandas")
    def test_pandas(self):
        frame = self.run_.profile(by=("function", "rank")).pandas()
        self.assertEqual(frame["calls"].sum(), self.run_.meta["calls"])
        self.assertEqual(set(frame["rank"]), set(range(self.run_.meta["ranks"])))
        matrix = self.run_.traffic().pandas().pivot(index="from", columns="to", values="bytes")
        self.assertEqual(matrix.sum().sum(), cli("matrix", FILE)["totals"]["p2p"]["bytes"])
        self.assertIn("<table", self.run_.waits()._repr_html_())


if __name__ == "__main__":
    unittest.main()
