"""The validation's own tests: what is read, judged and refused."""
import pathlib
import tempfile
import unittest

import cases
import formulas
import page
import validate

LINE = "a case | 2 * 3 | ns | a formula | 1 % | {a.b[1]} + {rows[x=1,y=z].t} | kbsim traffic --scope link"


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cases.txt"
        file.write_text(text)
        return cases.read(file)


class Reading(unittest.TestCase):
    def test_sections_have_their_text_cases_and_figures(self):
        section, = read(f"# c\n== One\n> words\n\n{LINE}\nbars | n | t\nplot | n | t | x = kbsim traffic\n")
        self.assertEqual((section.title, section.text, len(section.cases), len(section.figures)),
                         ("One", ["words"], 1, 2))
        self.assertEqual(section.cases[0].arguments(), ["traffic", "--scope", "link"])

    def test_what_is_no_case_is_refused_with_its_line(self):
        for text in (LINE, "== One\na | b", "== One\n" + LINE.replace("1 %", "near"), f"== One\n{LINE}\n{LINE}",
                     "== One\n" + LINE.replace("kbsim traffic", "rm"), "== One\nplot | n | t | x"):
            with self.assertRaises(SystemExit) as refused:
                read(text)
            self.assertRegex(str(refused.exception), r"cases.txt:\d+: ")


class Judging(unittest.TestCase):
    def setUp(self):
        self.case = read(f"== One\n{LINE}")[0].cases[0]

    def test_figures_of_a_document_are_found(self):
        document = {"a": {"b": [1, 4]}, "rows": [{"x": 2, "y": "z", "t": 9}, {"x": 1, "y": "z", "t": 2.5}]}
        self.assertEqual(validate.evaluated("here", self.case.ours, document), 6.5)
        self.assertEqual(validate.evaluated("here", self.case.reference), 6.0)
        for wrong in ("{a.c}", "{a.b[7]}", "1 / 0", "open('x')"):
            with self.assertRaises(SystemExit):
                validate.evaluated("here", wrong, document)

    def test_a_tolerance_is_a_share_a_number_or_exact(self):
        self.assertTrue(self.case.within(6.0, 6.05))
        self.assertFalse(self.case.within(6.0, 6.07))
        self.case.relative, self.case.allowed = cases.parse_tolerance("here", "0.5")
        self.assertTrue(self.case.within(0.0, -0.5))
        self.assertFalse(self.case.within(0.0, 0.51))
        self.case.relative, self.case.allowed = cases.parse_tolerance("here", "exact")
        self.assertFalse(self.case.within(6.0, 6.000001))

    def test_a_row_out_of_its_tolerance_is_found(self):
        runner = pathlib.Path(tempfile.mkdtemp()) / "kbsim"
        runner.write_text('#!/bin/sh\necho \'{"a": {"b": [0, 5]}, "rows": [{"x": 1, "y": "z", "t": 2}]}\'\n')
        runner.chmod(0o755)
        sections = read(f"== One\n{LINE}")
        self.assertEqual([case.name for case in validate.judge(sections, str(runner), 1)], ["a case"])
        self.assertIn("| a case | a formula: 6 ns | 7 ns | +17 % | 1 % | `kbsim traffic --scope link` |",
                      page.text(sections))

    def test_a_page_that_lacks_a_case_is_found(self):
        sections = read(f"== One\n{LINE}")
        old = pathlib.Path(tempfile.mkdtemp()) / "page.md"
        self.assertEqual(validate.check(sections, old), 1)
        self.case.expected, self.case.measured = 6.0, 6.0
        sections[0].cases = [self.case]
        old.write_text(page.text(sections))
        self.assertEqual(validate.check(sections, old), 0)


class Formulas(unittest.TestCase):
    def test_known_values(self):
        self.assertAlmostEqual(formulas.md1(0.8), 2.0)
        self.assertAlmostEqual(formulas.mg1(0.8, [(1.0, 256)]), formulas.md1(0.8))
        self.assertAlmostEqual(formulas.md1_below(0, 0.3), 0.7)
        self.assertAlmostEqual(formulas.md1_below(formulas.md1_quantile(0.95, 0.6), 0.6), 0.95, 6)
        self.assertAlmostEqual(formulas.ring_allreduce(4, 500, 4096, 128), 6 * (500 + 8))
        self.assertAlmostEqual(formulas.pipeline([3, 5, 2], 10), 10 + 9 * 5)


if __name__ == "__main__":
    unittest.main()
