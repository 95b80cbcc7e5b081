"""kbsim from Python: equal digests, frames with units, errors with the command's words."""
import concurrent.futures
import os
import pathlib
import pickle
import tempfile
import unittest

import pandas

import kbsim

RING = {"algorithm": "ring_allreduce_tcm", "b": "1K", "e": "4K", "f": 2}


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


class Many(unittest.TestCase):
    def test_two_threads_get_their_own_results(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = [2, 4, 2, 4, 2, 4]
            results = list(pool.map(lambda n: kbsim.run("ccl_allreduce", set={"system.sips.count": n}), counts))
        self.assertEqual([int(result.rows.world_size[0]) for result in results], counts)
        self.assertEqual(len({result.digest for result in results}), 2)

    def test_many_runs_leave_no_open_files_or_processes(self):
        runs = int(os.environ.get("KBSIM_PYTHON_RUNS", "60"))
        before = None
        for number in range(runs):
            kbsim.run("ccl_allreduce", topology="small.yaml", timing_only=True)
            if number == 4:
                before = len(os.listdir("/proc/self/fd"))
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


if __name__ == "__main__":
    unittest.main()
