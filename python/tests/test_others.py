"""Tests of what other libraries get: those in TABARD_OTHERS (matplotlib, hatchet, pipit) have to be there, no others are.

python3 -m unittest, with TABARD and TABARD_RECORDING in the environment.
"""

import os
import tempfile
import unittest

import tabard

FILE = os.environ["TABARD_RECORDING"]
OTHERS = os.environ["TABARD_OTHERS"].split(",")


def wants(name):
    return unittest.skipUnless(name in OTHERS, "%s is tested in another Python" % name)


@wants("matplotlib")
class Plots(unittest.TestCase):
    def setUp(self):
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot

        self.run_ = tabard.open(FILE)
        self.axes = matplotlib.pyplot.subplots()[1]
        self.addCleanup(matplotlib.pyplot.close, "all")

    def drawn(self, ax):
        self.assertIs(ax, self.axes)
        ax.figure.canvas.draw()

    def test_matrix(self):
        self.drawn(self.run_.plot_matrix("messages", ax=self.axes))
        self.assertEqual(self.axes.images[0].get_array().tolist(), self.run_.matrix("messages").tolist())
        from tabard import _plots
        import numpy

        class Sparse:  # as scipy.sparse.coo_matrix
            shape = (5000, 5000)
            row, col, data = numpy.array([1, 4999]), numpy.array([2, 0]), numpy.array([3, 4])

            def tocoo(self):
                return self

        _plots.matrix(Sparse(), "bytes", None).figure.canvas.draw()

    def test_timeline(self):
        document = self.run_.ask("timeline", width=50)
        self.drawn(self.run_.plot_timeline(50, ax=self.axes))
        image = self.axes.images[0].get_array()
        self.assertEqual(image.shape[:2], (len(document["rows"]), 50))
        shown = {t.get_text() for t in self.axes.get_legend().get_texts()}
        self.assertEqual(shown, {k.replace("_", " ") for k, v in document["total"].items() if v > 0})

    def test_steps(self):
        table = self.run_.step_times()
        self.drawn(self.run_.plot_steps(ax=self.axes))
        self.assertGreater(len(table), 0)
        self.assertEqual([round(y * 1e6) for y in self.axes.lines[0].get_ydata()], [row["length.mean_ns"] for row in table])
        self.assertIsNot(self.run_.plot_steps(), self.axes)


@wants("hatchet")
class Hatchet(unittest.TestCase):
    def test_hatchet(self):
        run = tabard.open(FILE)
        frame = run.to_hatchet()
        profile = {r["func"]: r for r in run.profile(by="function")}
        table = frame.dataframe.reset_index()
        for name, row in profile.items():
            of = table[table["name"] == name]
            self.assertEqual((of["calls"].sum(), of["bytes"].sum(), of["time"].sum()),
                             (row["calls"], row["bytes"], row["times.total_ns"]), name)
        self.assertEqual(table["calls"].sum(), run.meta["calls"])
        self.assertIn("MPI_Finalize", frame.tree())
        roots = [n for n in frame.graph.roots]
        total = sum(frame.dataframe.loc[(n, r), "time (inc)"] for n in roots for r in set(table["rank"]))
        self.assertEqual(total, run.profile(by="function").document["time_ns"])
        some = frame.filter(lambda x: x["name"] == "MPI_Finalize", squash=True)
        self.assertEqual(some.dataframe["calls"].sum(), profile["MPI_Finalize"]["calls"])
        copy = frame.deepcopy()
        copy.drop_index_levels()
        self.assertEqual(len(copy.dataframe), len(frame.graph))
        self.assertTrue(frame.to_dot().startswith("strict digraph"))
        self.assertEqual((frame - frame.deepcopy()).dataframe["time"].abs().sum(), 0)


@wants("pipit")
class Pipit(unittest.TestCase):
    def test_pipit(self):
        run = tabard.open(FILE)
        trace = run.to_pipit()
        rows = run.profile(by=("function", "rank"))
        spent = trace.flat_profile(metrics=["time.inc", "time.exc"], per_process=True)
        nested = bool(run.events().numpy()["nested"].any())
        calls = trace.events[trace.events["Event Type"] == "Enter"].groupby(["Name", "Process"], observed=True).size()
        for row in rows:
            key = (row["func"], row["rank"])
            self.assertEqual(calls[key], row["calls"], key)
            # Times are shifted where they overlap by less than their resolution.
            want = row["times.total_ns"]
            self.assertLessEqual(abs(spent["time.inc"][key] - want), row["calls"] * (4 if nested else 1) + want / 1000, key)
        self.assertEqual(calls.sum(), run.meta["calls"])
        self.assertTrue(trace.events.loc[trace.events["Event Type"] != "Instant", "_matching_event"].notnull().all())
        for name, value in (("count", "messages"), ("size", "bytes")):
            self.assertEqual(trace.comm_matrix(name).tolist(), run.matrix(value).tolist())
        totals = run.traffic().document["totals"]["p2p"]
        if totals["messages"]:
            self.assertEqual(trace.message_histogram(bins=8)[0].sum(), totals["messages"])
            self.assertEqual(trace.comm_over_time("size", bins=7)[0].sum(), totals["bytes"])
            received = trace.comm_over_time("count", message_type="receive", bins=7)[0].sum()
            done = run.messages().numpy()["completion_end_ns"]
            self.assertEqual(received, len(done) - (done.mask.sum() if hasattr(done, "mask") else 0))
        self.assertEqual(len(trace.time_profile(num_bins=5)), 5)
        trace.create_cct()

    def test_archive(self):
        import pipit

        run = tabard.open(FILE)
        if any("File_" in name or "Win_fence" in name for name in run.meta["functions"]):
            self.skipTest("Pipit fails where bits come together in a record: str() of OTF2's Python package does")
        with tempfile.TemporaryDirectory() as folder:
            trace = pipit.Trace.from_otf2(run.export("otf2", os.path.join(folder, "archive")))
        # Pipit leaves the order of events at one time to chance, and with it which Leave belongs to which Enter: times of
        # short calls are compared in test_pipit alone.
        calls = trace.events[trace.events["Event Type"] == "Enter"].groupby(["Name", "Process"], observed=True).size()
        for row in run.profile(by=("function", "rank")):
            self.assertEqual(calls[(row["func"], row["rank"])], row["calls"], row["func"])
        self.assertGreater(len(trace.flat_profile(metrics=["time.exc"])), 0)
        # Pipit takes ranks in communicators for those of processes, so that only sums are equal in all programs.
        for name, value in (("count", "messages"), ("size", "bytes")):
            self.assertEqual(trace.comm_matrix(name).sum(), run.matrix(value).sum())
        totals = run.traffic().document["totals"]["p2p"]
        if totals["messages"]:
            self.assertEqual(trace.message_histogram(bins=8)[0].sum(), totals["messages"])


if __name__ == "__main__":
    unittest.main()
