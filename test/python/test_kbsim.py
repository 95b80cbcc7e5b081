"""kbsim from Python: equal digests, frames with units, errors with the command's words."""
import concurrent.futures
import contextlib
import inspect
import io
import os
import pathlib
import pickle
import re
import tempfile
import unittest
import unittest.mock

import pandas

import kbsim

FIRST_HOUR = pathlib.Path(__file__).parents[2] / "docs/tutorials/first-hour.md"
RING = {"algorithm": "ring_allreduce_tcm", "b": "1K", "e": "4K", "f": 2}


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def command_that_writes(lines):
    """A command in place of kbsim that writes these lines to stderr and an empty document."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kbsim"
        file.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{lines}END\necho '{{}}'\n")
        file.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, KBSIM=str(file)):
            yield


class Runs(unittest.TestCase):
    def test_digest_time_and_correctness_are_those_of_the_command(self):
        recorded = (pathlib.Path(__file__).parents[1] / "golden/main_job.digest").read_text().strip()
        result = kbsim.run("ccl_allreduce", topology="topology.yaml")
        self.assertEqual(result.digest, recorded)
        self.assertEqual(result.simulated_ns, 2811.942)
        self.assertIs(result.correct, True)
        self.assertEqual(result.rows.latency_ns[0], 818.715)
        self.assertEqual(result.model_version, result.json["model_version"])

    def test_rows_of_an_evaluation_have_units(self):
        rows = kbsim.run("ccl", **RING).rows
        self.assertEqual(list(rows.size_bytes), [1024, 2048, 4096])
        self.assertTrue((rows.time_us.diff().dropna() > 0).all())
        self.assertIn("bus_bw_gbs", rows)

    def test_the_curve_is_that_of_the_first_hour(self):
        page = re.findall(r"^ +(\d+) +\d+ +half +sum +-1 +([\d.]+) \.\.\.$", FIRST_HOUR.read_text(), re.MULTILINE)
        rows = kbsim.run("ccl", algorithm="ring_allreduce_tcm", b="1K", e="64K", f=4).rows
        self.assertEqual([(str(row.size_bytes), f"{row.time_us:.3f}") for row in rows.itertuples()], page)

    def test_one_letter_is_an_option_of_the_bench(self):
        rows = kbsim.run("gemm", m=32, n=64, k=16, timing_only=True).rows
        self.assertEqual((rows.m[0], rows.n[0], rows.k[0]), (32, 64, 16))

    def test_settings_and_options_reach_the_command(self):
        four = kbsim.run("ccl_allreduce", set={"system.sips.count": 4, "cube.noc.link_bw_gbs": 128.0}, timing_only=True)
        self.assertIsNone(four.correct)
        self.assertEqual(four.rows.world_size[0], 4)
        self.assertIn("--set system.sips.count=4 --set cube.noc.link_bw_gbs=128.0 --timing-only",
                      four.command.replace("timing_only", "timing-only"))

    def test_a_model_has_a_table_of_operations_per_phase(self):
        operations = kbsim.llm(topology="small.yaml", prompt=20).operations
        self.assertEqual(set(operations.phase), {"prefill", "decode"})
        row = operations[(operations.phase == "decode") & (operations.operation == "qkv")].iloc[0]
        self.assertGreater(row.span_us, 0)
        self.assertLessEqual(row.roofline_us, row.span_us)

    def test_paths_of_an_explanation_sum_to_the_run(self):
        explained = kbsim.explain("ccl_allreduce")
        shares = explained.shares()
        reasons = shares[shares.by == "reason"]
        self.assertAlmostEqual(reasons.time_ns.sum(), explained.result.simulated_ns, places=6)
        self.assertAlmostEqual(reasons.share.sum(), 1.0)
        self.assertEqual(explained.keys().key[0], "sip.ucie.overhead_ns")
        self.assertIn("critical path of the run", explained.sentence)

    def test_traffic_has_a_row_per_load(self):
        points = kbsim.traffic(topology="topology.yaml", scope="mesh:2x2", load=0.5)
        self.assertEqual(len(points), 1)
        self.assertGreater(points["latency_ns.mean"][0], 0)


class Sweeps(unittest.TestCase):
    def test_the_frame_is_long_with_units(self):
        table = kbsim.sweep("ccl_allreduce", set={"system.sips.count": [2, 4]})
        latency = table[table.metric == "latency_ns"]
        self.assertEqual(list(latency["system.sips.count"]), [2, 4])
        self.assertEqual(set(latency.unit), {"ns"})
        self.assertEqual(latency.value.iloc[0], 818.715)

    def test_a_list_of_an_option_is_an_axis_and_a_kept_folder_is_used_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "kept"
            first = kbsim.sweep("gemm_single_pe", out=out, set={"pe.pe_scheduler.tile_m": [32, 64]})
            pandas.testing.assert_frame_equal(
                first, kbsim.sweep("gemm_single_pe", out=out, set={"pe.pe_scheduler.tile_m": [32, 64]}))

    def test_options_of_the_bench_reach_every_point(self):
        table = kbsim.sweep("ccl", algorithm=["ring_allreduce_tcm", "tree_allreduce"], b="4K", e="4K", check=0, jobs=1)
        self.assertEqual(set(table[table.metric == "size"].value), {4096})
        self.assertEqual(list(table[table.metric == "time"].algorithm), ["ring_allreduce_tcm", "tree_allreduce"])

    def test_some_failed_points_warn_and_all_raise(self):
        with self.assertWarnsRegex(UserWarning, "^1 of 2 points failed, the first: .*system.sips.count: found '0'"):
            table = kbsim.sweep("ccl_allreduce", set={"system.sips.count": [0, 1]})
        self.assertEqual(set(table.point), {1})
        with self.assertRaisesRegex(kbsim.Fault, "^kbsim: .*raise max_commands") as raised:
            kbsim.sweep("ccl_allreduce", set={"pe.pe_cpu.max_commands": [1, 2]})
        self.assertTrue(raised.exception.command.endswith("--set pe.pe_cpu.max_commands=1"))

    def test_differences_of_two_runs_are_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, count in (("a", 2), ("b", 4)):
                kbsim.run("ccl_allreduce", set={"system.sips.count": count}, out=f"{folder}/{name}")
            table = kbsim.diff(f"{folder}/a", f"{folder}/b").set_index("name")
        self.assertEqual((table.a["world_size"], table.b["world_size"]), (2, 4))


class Errors(unittest.TestCase):
    def raises(self, kind, words, call):
        with self.assertRaises(kind) as raised:
            call()
        self.assertIn(words, str(raised.exception))
        return raised.exception

    def test_a_wrong_key_raises_with_the_commands_words(self):
        error = self.raises(kbsim.UsageError, "did you mean 'count'?",
                            lambda: kbsim.run("ccl_allreduce", set={"system.sips.cont": 4}))
        self.assertEqual(error.exit_code, 2)
        self.assertTrue(error.message.startswith("kbsim: "))
        self.assertTrue(error.command.startswith("kbsim run --bench ccl_allreduce --set system.sips.cont=4"))

    def test_each_exit_code_has_its_type(self):
        self.raises(kbsim.LimitReached, "after 10 events, the limit that was set",
                    lambda: kbsim.run("ccl_allreduce", topology="topology.yaml", max_events=10))
        self.raises(kbsim.NotSupported, "--ep", lambda: kbsim.llm(ep=2))
        self.raises(kbsim.UsageError, "unknown option '--nothing'", lambda: kbsim.run("ccl_allreduce", nothing=1))
        self.raises(kbsim.Fault, "max_commands",
                    lambda: kbsim.run("ccl_allreduce", set={"pe.pe_cpu.max_commands": 1}))

    def test_an_error_may_cross_processes(self):
        error = kbsim.UsageError("kbsim: no", "kbsim run", 2)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.message, again.command, again.exit_code), ("kbsim: no", "kbsim run", 2))

    def test_a_missing_command_names_the_remedy(self):
        before = dict(os.environ)
        try:
            os.environ["KBSIM"] = "/nowhere/kbsim"
            with self.assertRaises(FileNotFoundError):
                kbsim.run("ccl_allreduce")
        finally:
            os.environ.clear()
            os.environ.update(before)


class Progress(unittest.TestCase):
    def shown(self, lines):
        with command_that_writes(lines), contextlib.redirect_stderr(io.StringIO()) as said:
            kbsim.run("ccl_allreduce", progress=True)
        return said.getvalue()

    def test_an_hour_of_progress_is_one_line(self):
        lines = "".join(f"kbsim: {n} of 900 points, 0 failed, 0.2 a second, about 9 min left\n" for n in range(900))
        said = self.shown(lines)
        self.assertNotIn("\n", said)
        self.assertEqual(said.count("\r"), 902)
        self.assertTrue(said.endswith("\r"))

    def test_other_lines_stay_and_names_of_files_are_left_out(self):
        said = self.shown("sizes: 1 of 2, 1.0 a second, about 1 s left\nwarning: a race\nwrote results to somewhere\n")
        line = "sizes: 1 of 2, 1.0 a second, about 1 s left"
        self.assertEqual(said, f"\r{line}\r{' ' * len(line)}\rwarning: a race\n")

    def test_without_progress_nothing_is_shown(self):
        with command_that_writes("warning: a race\n"), contextlib.redirect_stderr(io.StringIO()) as said:
            kbsim.run("ccl_allreduce")
        self.assertEqual(said.getvalue(), "")


class Types(unittest.TestCase):
    def test_every_call_has_types_of_its_arguments_and_its_result(self):
        for name in ("run", "llm", "explain", "sweep", "traffic", "diff", "executable"):
            signature = inspect.signature(getattr(kbsim, name))
            types = [signature.return_annotation, *(one.annotation for one in signature.parameters.values())]
            self.assertNotIn(inspect.Signature.empty, types, name)
        self.assertTrue((pathlib.Path(kbsim.__file__).parent / "py.typed").exists())


class Many(unittest.TestCase):
    def test_two_threads_get_their_own_results(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = [2, 4, 2, 4, 2, 4]
            results = list(pool.map(lambda n: kbsim.run("ccl_allreduce", set={"system.sips.count": n}), counts))
        self.assertEqual([int(result.rows.world_size[0]) for result in results], counts)
        self.assertEqual(len({result.digest for result in results}), 2)

    def test_many_runs_leave_no_open_files_folders_processes_or_memory(self):
        runs = int(os.environ.get("KBSIM_PYTHON_RUNS", "25"))
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tempfile, "tempdir", folder):
            files = memory = 0
            for number in range(runs):
                self.every_call()
                if number == 9:
                    files, memory = len(os.listdir("/proc/self/fd")), resident_bytes()
            self.assertEqual(len(os.listdir("/proc/self/fd")), files)
            self.assertEqual(os.listdir(folder), [])
            self.assertLess(resident_bytes() - memory, 4 << 20)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def every_call(self):
        """A run, an explanation, a sweep and an error."""
        kbsim.run("ccl_allreduce", topology="small.yaml", timing_only=True)
        kbsim.explain("ccl_allreduce", topology="small.yaml", timing_only=True)
        kbsim.sweep("ccl_allreduce", topology="small.yaml", set={"system.sips.count": [1, 2]}, jobs=1)
        with self.assertRaises(kbsim.UsageError):
            kbsim.run("ccl_allreduce", nothing=1)


if __name__ == "__main__":
    unittest.main()
