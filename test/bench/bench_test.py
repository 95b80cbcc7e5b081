"""Wrong arguments of scripts/bench.sh are reported in a line before any measurement; programs here only print."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "bench.py"

ENGINE = """#!/bin/sh
echo ran >> "$(dirname "$0")/runs"
echo '{"items": 1000, "events": 1000, "seconds": 0.5, "allocations": 0, "bytes": 64000, "parts": 64, "peak": 4194304}'
"""
PAGE = "# A page\n<!-- bench -->\nold\n<!-- /bench -->\n<!-- growth -->\nold\n<!-- /growth -->\n"


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        programs = self.root / "build/test/bench"
        programs.mkdir(parents=True)
        (programs / "kbsim_bench_engine").write_text(ENGINE)
        (programs / "kbsim_bench_engine").chmod(0o755)
        self.runs = programs / "runs"

    def run_with(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], cwd=self.root, capture_output=True, text=True,
                              check=False)

    def measured(self, out, *arguments):
        got = self.run_with("--build", f"build={out}", "--repeats", "1", *arguments)
        self.assertEqual(got.returncode, 0, got.stderr)
        return got

    def refused(self, text, *arguments):
        got = self.run_with(*arguments)
        self.assertNotEqual(got.returncode, 0)
        self.assertNotIn("Traceback", got.stderr)
        self.assertIn(text, got.stderr)
        self.assertFalse(self.runs.exists(), "measured, and then refused")

    def test_cases_by_a_word_and_what_has_no_program_is_named(self):
        got = self.measured("out", "W2")
        self.assertIn("W2 lib/sim", got.stdout)
        self.assertIn("no kbsim_bench_systemc: their cases are left out", got.stderr)
        self.assertEqual(set(json.loads((self.root / "out/figures.json").read_text())["cases"]),
                         {"W2 lib/sim", "W2 4-ary heap", "W2 bare wheel"})

    def test_two_folders_are_compared(self):
        self.measured("a", "W2")
        self.measured("b", "W2", "call")
        got = self.run_with("--compare", "a", "b")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertRegex(got.stdout, r"W2 lib/sim .* 1\.000 .*too few repeats")
        self.measured("c", "call")
        self.runs.unlink()
        self.refused("a and c have no case in common", "--compare", "a", "c")

    def test_words(self):
        self.refused("'nosuch': no case has it in its name", "--build", "build=out", "W2", "nosuch")
        self.refused("engine, mesh, machine, growth", "--build", "build=out", "nosuch")
        self.refused("'': no case", "--build", "build=out", "")
        self.refused("'growth': all of these cases take long; leave out --quick", "--build", "build=out", "--quick",
                     "growth", "W2")

    def test_folders(self):
        self.refused("nosuch: no such folder", "--build", "nosuch=out", "W2")
        self.refused("/dev/full: File exists; --build DIR=OUT names another folder", "--build", "build=/dev/full", "W2")
        self.refused("/proc/nosuch: No such file or directory", "--build", "build=/proc/nosuch", "W2")
        os.mkdir(self.root / "empty")
        self.refused("empty has no kbsim_bench_engine and no kbsim_bench_systemc: scripts/build.sh", "--build", "empty=out",
                     "W2")
        self.refused("can't have the figures of two builds", "--build", "build=out", "--build", "build=out", "W2")
        self.refused("two builds at most", "--build", "build=a", "--build", "build=b", "--build", "build=c", "W2")

    def test_pages(self):
        self.refused("--write nosuch.md: No such file or directory", "--build", "build=out", "--write", "nosuch.md")
        (self.root / "page.md").write_text("# Another\n")
        self.refused("--write page.md: it has no <!-- bench -->", "--build", "build=out", "--write", "page.md")
        (self.root / "page.md").write_text(PAGE)
        self.refused("its tables are of all cases", "--build", "build=out", "--write", "page.md", "W2")
        self.assertEqual((self.root / "page.md").read_text(), PAGE)

    def test_what_is_compared_runs_nothing(self):
        self.measured("a", "W2")
        self.runs.unlink()
        self.refused("words would have no effect", "--compare", "a", "a", "W2")
        self.refused("build and write would have no effect", "--compare", "a", "a", "--write", "p.md", "--build", "build=a")
        self.refused("repeats and quick would have no effect", "--compare", "a", "a", "--quick", "--repeats", "1")
        self.refused("nosuch/figures.json: No such file or directory", "--compare", "a", "nosuch")
        for text in ("", "[", "[]", "{}", '{"cases": {}}', '{"cases": {"W2": {}}, "commit": "c", "machine": "m"}'):
            (self.root / "a/figures.json").write_text(text)
            self.refused("a/figures.json isn't what scripts/bench.sh writes", "--compare", "a", "a")

    def test_help_and_wrong_options_build_nothing(self):
        self.assertIn("engine, mesh, machine, growth", " ".join(self.run_with("--help").stdout.split()))
        self.refused("unrecognized arguments: --nosuch", "--nosuch")
        self.refused("--repeats must be at least 1", "--repeats", "0")


if __name__ == "__main__":
    unittest.main()
