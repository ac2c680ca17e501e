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
