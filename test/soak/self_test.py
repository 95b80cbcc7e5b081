"""The soak finds planted faults, and names the setting that causes each."""
import contextlib
import io
import os
import stat
import sys
import tempfile
import unittest
from unittest import mock

import cases
import files
import judge
import soak

# Stands in for the command; a word of its arguments decides its behaviour.
FAKE = """#!/bin/sh
case " $* " in
{rules}
*--json*) echo '{{"result": 1, "run": {{"events": '$$'}}}}' ;;
*) echo right ;;
esac
"""


# The stand-in reads no files.
WITHOUT_FILES = [(family, weight) for family, weight in cases.FAMILIES
                 if family not in (files.layers, files.log)]


def findings(rules, seconds=2, families=None):
    """The output of a soak of a few seconds, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name in judge.PROGRAMS.values():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(FAKE.format(rules=rules))
            os.chmod(path, stat.S_IRWXU)
        words = ["soak", "--release", folder, "--seed", "1", "--minutes", str(seconds / 60)]
        out = io.StringIO()
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(out), \
                mock.patch.object(cases, "FAMILIES", families or WITHOUT_FILES):
            return soak.main(), out.getvalue()


class Soak(unittest.TestCase):
    def test_right_results_are_no_finding(self):
        code, text = findings("")
        self.assertEqual(code, 0, text)
        self.assertIn(" 0 findings", text)

    def test_a_crash_is_found_and_its_setting_named(self):
        code, text = findings("*slot_size=*) kill -SEGV $$ ;;")
        self.assertEqual(code, 1, text)
        self.assertIn("crash (release): signal 11", text)
        command = next(line for line in text.splitlines() if line.startswith("     "))
        self.assertLessEqual(command.count("--set"), 2, command)

    def test_wrong_values_and_internal_errors_are_found(self):
        for exit_code in (1, 7, 8, 3):
            code, text = findings(f"*--bench*) echo error >&2; exit {exit_code} ;;")
            self.assertEqual(code, 1, text)
            self.assertIn(f"exit {exit_code}", text)

    def test_a_result_that_hangs_on_the_order_of_ties_is_found(self):
        code, text = findings("*--shuffle-ties*) echo '{\"result\": 2}' ;;")
        self.assertEqual(code, 1, text)
        self.assertIn("differs (--shuffle-ties", text)

    def test_a_refusal_that_the_dry_run_misses_is_found(self):
        code, text = findings("*--dry-run*) ;;\n*--bench*) echo no >&2; exit 2 ;;")
        self.assertEqual(code, 1, text)
        self.assertIn("dry run: exit 0, run: exit 2: no", text)

    def test_what_is_found_as_the_time_ends_is_told(self):
        code, text = findings("*slot_size=*) sleep 0.4; kill -SEGV $$ ;;", seconds=1)
        self.assertEqual(code, 1, text)
        self.assertIn("crash (release)", text)

    def test_a_file_that_is_read_otherwise_is_found(self):
        code, text = findings("*layers.csv*) echo '{\"rows\": [{\"layer\": \"L0\", \"m\": 1, \"n\": 1, \"k\": 1}]}' ;;",
                              families=[(files.layers, 1)])
        self.assertEqual(code, 1, text)
        self.assertIn("read otherwise", text)
        self.assertIn("> layers.csv; kbsim --bench gemm --layers layers.csv", text)

    def test_a_file_that_is_refused_and_right_or_without_its_place_is_found(self):
        code, text = findings("*run.log*) echo no >&2; exit 2 ;;", families=[(files.log, 1)])
        self.assertEqual(code, 1, text)
        self.assertIn("refused, and it is right", text)
        self.assertIn("no place", text)

    def test_a_refusal_without_a_word_is_found(self):
        code, text = findings("*) exit 2 ;;")
        self.assertEqual(code, 1, text)
        self.assertIn("silent", text)


if __name__ == "__main__":
    unittest.main()
