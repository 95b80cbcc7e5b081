"""first_hour.py finds the wrong claims of a page."""

import contextlib
import io
import pathlib
import tempfile
import unittest

from first_hour import main


def verdict(page: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "page.md"
        file.write_text(page)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = main(file, pathlib.Path(name))
        return code, said.getvalue()


def step(script: str, printed: str = "") -> str:
    return f"```sh\n{script}\n```\n" + (f"```text\n{printed}\n```\n" if printed else "")


class FirstHour(unittest.TestCase):
    def test_what_is_printed_holds(self):
        self.assertEqual(verdict(step("echo a; echo b c; echo d", "a\n...\nb ...\nd"))[0], 0)

    def test_what_is_not_printed_is_named(self):
        for printed in ("b", "b\na", "a\na", "ab...", "..a"):
            code, text = verdict("\n\n" + step("echo a; echo b c", printed))
            self.assertEqual(code, 1, printed)
            self.assertIn("page.md:3: ", text)

    def test_a_command_that_fails_is_named(self):
        code, text = verdict(step("false\necho a", "a"))
        self.assertEqual(code, 1)
        self.assertIn("exit 1 on 40 columns", text)

    def test_exports_hold_for_later_steps(self):
        self.assertEqual(verdict(step("true && export X=y") + step("echo $X", "y"))[0], 0)

    def test_bars_of_progress_are_no_lines(self):
        bars = r"printf '\r\033[Kpoints 1/2\r\033[Kpoints 2/2\r\033[Kresult\n'"
        self.assertEqual(verdict(step(bars, "result"))[0], 0)

    def test_too_many_commands_are_counted(self):
        self.assertEqual(verdict(step("\n".join(["true"] * 9)))[0], 0)
        self.assertEqual(verdict(step("\n".join(["true"] * 10)))[0], 1)
        self.assertEqual(verdict("no commands")[0], 1)


if __name__ == "__main__":
    unittest.main()
