"""The validation's own tests: cases read, judged and refused."""
import argparse
import pathlib
import re
import tempfile
import unittest

import cases
import formulas
import others
import others_figures
import page
import silicon
import silicon_collectives
import silicon_links
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
        self.assertEqual(validate.check(sections, old), 1)  # nothing of inputs of others
        old.write_text(page.text(sections) + others.marked("words\n"))
        self.assertEqual(validate.check(sections, old), 0)


class InputsOfOthers(unittest.TestCase):
    def test_without_a_folder_their_section_stays_as_it_is(self):
        given = argparse.Namespace(inputs=None)
        old = "# page\n" + others.marked("## Inputs of others\n") + "\n"
        self.assertEqual(validate.of_inputs(given, old), (others.marked("## Inputs of others\n"), []))
        self.assertEqual(validate.of_inputs(given, "# page\n"), ("", []))

    def test_macs_are_closed_forms_of_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "net.csv"
            file.write_text("\ufeffLayer,M,N,K,\na,2,3,5,\n,,,\nb,1,1,7,\n")
            self.assertEqual(others.closed_form_macs(file), [("a", 30), ("b", 7)])
            file.write_text("Layer name, H, W, R, S, Channels, Num Filter, Strides, \nc,7,9,3,2,4,5,2,\n")
            self.assertEqual(others.closed_form_macs(file), [("c", 3 * 4 * 3 * 2 * 4 * 5)])

    def test_a_folder_without_samples_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(SystemExit) as refused:
                others.Runner("kbsim", folder, 1).files("layers", ".csv")
            self.assertIn("no .csv in", str(refused.exception))
        with self.assertRaises(SystemExit):
            others.Runner("kbsim", folder, 1)  # it has gone

    def test_a_plan_is_right_deadlocked_with_steps_or_neither(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        runner = folder / "kbsim"
        for script, outcome in (("echo '{\"correct\": true}'", "right"), ("echo step 3 >&2; exit 8", "deadlock"),
                                ("exit 8", "exit code 8"), ("echo '{\"correct\": false}'; exit 7", "exit code 7")):
            runner.write_text(f"#!/bin/sh\n{script}\n")
            runner.chmod(0o755)
            self.assertTrue(others.plan_outcome(others.Runner(runner, folder, 1), ("p.xml", 2, 1)).startswith(outcome))

    def test_points_of_one_style_are_one_path(self):
        point = "<use xlink:href='#gpPt{}' transform='translate({},2.5) scale(2.0)' color='red'/>".format
        svg = others_figures.compact("\n".join(["<g>", point(6, 1), point(6, 3), point(4, 5), "</g>"]))
        self.assertIn("<path d='M1,2.5h0M3,2.5h0' stroke='red' stroke-width='4.00' stroke-linecap='round'", svg)
        self.assertIn("<path d='M5,2.5h0' stroke='red' stroke-width='3.20' stroke-linecap='square'", svg)
        self.assertNotIn("<use", svg)

    def test_barriers_that_are_near_each_other_are_one_point(self):
        near = [{"measured_cycles": str(at), "predicted_cycles": "500.0"} for at in (1000, 1000.4, 2000)]
        self.assertEqual(len({others_figures.cell(barrier) for barrier in near}), 2)


class Formulas(unittest.TestCase):
    def test_known_values(self):
        self.assertAlmostEqual(formulas.md1(0.8), 2.0)
        self.assertAlmostEqual(formulas.mg1(0.8, [(1.0, 256)]), formulas.md1(0.8))
        self.assertAlmostEqual(formulas.md1_below(0, 0.3), 0.7)
        self.assertAlmostEqual(formulas.md1_below(formulas.md1_quantile(0.95, 0.6), 0.6), 0.95, 6)
        self.assertAlmostEqual(formulas.ring_allreduce(4, 500, 4096, 128), 6 * (500 + 8))
        self.assertAlmostEqual(formulas.pipeline([3, 5, 2], 10), 10 + 9 * 5)


class Readme(unittest.TestCase):
    def test_the_mean_errors_are_those_of_the_section(self):
        lines = page.mean_errors("| fitted | calibrated, open | 2 | 9 | 14.1 % |\n"
                                 "| judged | calibrated, open | 1 | 3 | 8.9 % | 4.4 % |\n"
                                 "| mean error after it, all-to-all, which wasn't fitted | 54.9 % |")
        self.assertEqual([line.split("|")[3] for line in lines], [" 8.9 % mean ", " 54.9 % mean "])

    def test_rows_of_inputs_are_replaced_alone(self):
        path = pathlib.Path(tempfile.mkdtemp()) / "README.md"
        other = "| NOC traces, judged half, calibrated, closed loop | | 8 % mean | |\n| One queue | 1 | 0 | 0 |\n"
        path.write_text("| NOC traces, judged half, calibrated, open loop | | 7 % mean | |\n" + other)
        page.update_readme_of_inputs(path, "| judged | calibrated, open | 1 | 3 | 8.9 % | 4.4 % |\n")
        self.assertEqual(path.read_text(),
                         "| NOC traces, judged half, calibrated, open loop | | 8.9 % mean | |\n" + other)


HEAD = ("arch,pattern,grid,role,loopback,receivers,transactions,transaction_bytes,bytes_per_destination,"
        "latency_cycles,bytes_per_cycle,suspect\n")


ROUTERS = ("machine,pattern,message,packet_bytes,line_length,links,interior_workers_off,unidirectional,"
           "senders_unidirectional,bytes_per_cycle,packets_per_s\n")


class Silicon(unittest.TestCase):
    def tables(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / f"{name}.csv").write_text(text)
            return silicon.tables_in(folder)

    def test_rows_are_those_of_the_folder_that_is_named(self):
        table, = self.tables(noc_x=HEAD + "wormhole_b0,one_to_one,1x1,sender,na,1,4,64,64,300,0.2,\n"
                             "wormhole_b0,loopback,1x1,sender,na,1,4,64,64,100,0.2,why\n", other="a,b\n1,2\n")
        row, = table.simulated()
        self.assertEqual((table.name, table.suspect, row.kind, row.measured), ("noc_x", 1, "one_to_one", 300))
        row.machine, row.simulated = 270, 330
        self.assertEqual(silicon.lines_of([table])[0],
                         "silicon noc_x one_to_one rows 1 mean 10.0 worst 10.0 without_software 10.0")
        self.assertIn("| one_to_one | 1 | 10.0 % | +10.0 % | 10.0 % | – | – | 10.0 % |", silicon.page([table]))

    def test_rows_that_need_more_are_counted(self):
        table, = self.tables(noc_x=HEAD + "wormhole_b0,one_to_all_multicast,2x2,sender,no,4,4,64,64,300,0.2,\n"
                             "grayskull,one_to_one,1x1,sender,na,1,4,64,64,300,0.2,\n"
                             "wormhole_b0,all_to_some,8x8,sender,na,1,4,64,64,300,0.2,\n"
                             "wormhole_b0,all_to_all,9x8,sender,no,71,4,4544,64,300,0.2,\n")
        self.assertEqual(silicon.lines_of([table]),
                         ["silicon noc_x not_simulated rows 1 needs a chip with 9x8 cores",
                          "silicon noc_x not_simulated rows 1 needs a machine file of grayskull",
                          "silicon noc_x not_simulated rows 1 needs an experiment for all_to_some",
                          "silicon noc_x not_simulated rows 1 needs multicast"])

    def collectives(self, *rows):
        head = ("machine,collective,topology,chips,memory,calls_back_to_back,links_per_direction,line_rate_gbs,bytes,"
                "time_us,suspect\n")
        table, = self.tables(ccl_x=head + "".join(",".join(map(str, row)) + ",\n" for row in rows))
        return table

    def test_collectives_take_the_workers_slots_and_links_of_their_machine(self):
        table = self.collectives(("wh_x", "all_gather", "line", 4, "DRAM", 1, 1, 12.5, 1 << 20, 80),
                                 ("wh_x", "all_to_all", "line", 8, "DRAM", 1, 1, 12.5, 1 << 20, 80),
                                 ("bh_galaxy", "reduce_scatter", "ring", 8, "DRAM", 1, 2, 25, 1 << 10, 80),
                                 ("bh_galaxy", "all_gather", "ring", 8, "DRAM", 1, 2, 25, 1 << 24, 80),
                                 ("wh_x", "all_gather", "line", 4, "L1", 1, 1, 12.5, 1 << 20, 80))
        gather, exchange, one_shot, ring = (" ".join(row.words) for row in table.simulated())
        self.assertIn("grid.x=[1, 2] ", gather)  # routers forward: one core each way
        self.assertIn("line_all_gather.per_way=true", gather)
        self.assertIn("grid.x=[1, 2, 3, 4] ", exchange)
        self.assertIn("line_all_to_all.n_slots=34", exchange)
        self.assertIn("one_shot_reduce_scatter", one_shot)
        self.assertNotIn("serial", one_shot)
        self.assertIn("system.sips.link.channels=2", ring)
        self.assertIn("system.sips.topology=torus_2d", ring)
        self.assertIn("grid.y=[2, 3]", ring)  # sixteen cores
        self.assertEqual(table.missing(), {"collectives in L1": 1})

    def test_collectives_count_a_workers_own_work_as_software(self):
        table = self.collectives(("wh_x", "all_reduce", "line", 2, "DRAM", 1, 1, 12.5, 8192, 80))
        self.run_with("""case "$*" in *packet_ns*) t=5;; *) t=3;; esac
echo "{\\"rows\\": [{\\"time\\": $t, \\"with_software\\": $((t + 1))}]}\"""", table)
        row, = table.rows
        self.assertEqual((row.machine, row.simulated), (6, 12))  # both parts

    def test_sizes_are_doubled_in_one_run_and_large_ones_continue(self):
        self.assertEqual(silicon_collectives.sizes_to_simulate([1024, 2048, 5000, 4096]), [(1024, 4096), (5000, 5000)])
        self.assertEqual(silicon_collectives.sizes_to_simulate([1 << 30]), [(4 << 20, 8 << 20)])
        self.assertEqual(silicon_collectives.time_at({4: (1.0, 2.0), 8: (2.0, 4.0)}, 16), (4.0, 8.0))

    def test_products_are_those_of_recorded_launches_in_bf16_with_stated_blocks(self):
        head = "machine,config,grid,M,K,N,dtype,fidelity,trace,in0,out,device_ns,suspect\n"
        rows = ["n150,tuned,8x8,64,96,128,bfloat16,HiFi4,1,L1,DRAM,9000,", "n150,tuned,8x8,64,96,128,bfloat16,HiFi4,0,L1,L1,9,",
                "n150,auto,8x8,64,96,128,bfloat16,HiFi4,1,L1,L1,9,", "n150,tuned,8x8,64,96,128,bfloat8_b,LoFi,1,L1,L1,9,",
                "p150,tuned,11x10,64,96,128,bfloat16,HiFi4,1,L1,L1,9,",
                "x1,tuned,8x8,64,96,128,bfloat16,HiFi4,1,L1,L1,9,", "n150,tuned,9x8,64,96,128,bfloat16,HiFi4,1,L1,L1,9,"]
        table, = self.tables(gemm=head + "\n".join(rows) + "\n")
        row, next_chip = table.simulated()
        self.assertTrue(all(text in " ".join(next_chip.words) for text in ("blackhole_box.yaml", "macs_per_ns=691.2")))
        self.assertEqual((row.kind, row.measured, row.words[-6:]),
                         ("HiFi4", 9000, ["--m", "64", "--k", "96", "--n", "128"]))
        self.assertEqual(row.words[row.words.index("--a_in") + 1], "tcm")
        self.assertEqual(row.words[row.words.index("--c_in") + 1], "hbm")
        self.assertEqual(set(table.missing().values()), {1})
        self.assertEqual(len(table.missing()), 5)

    def test_what_is_no_table_is_refused_with_its_place(self):
        row = "wormhole_b0,one_to_one,1x1,sender,na,1,4,64,64,300,0.2,\n"
        for text, said in (("arch,pattern\nwormhole_b0,one_to_one\n", "noc_x.csv:2: the table has no column"),
                           ("", "noc_x.csv: empty"),
                           (HEAD.upper() + row, "noc_x.csv:2: the table has no column 'pattern'"),
                           (HEAD.replace("grid", "role") + row, "noc_x.csv:1: a column is there twice"),
                           (HEAD + row.replace("4,64", "4"), "noc_x.csv:2: expected 12 columns"),
                           (HEAD + row.replace("\n", ",1\n"), "noc_x.csv:2: expected 12 columns"),
                           (HEAD + row.replace("4,64", "4,"), "noc_x.csv:2: no row of this table: invalid literal"),
                           (HEAD + row + row.replace("300", ""), "noc_x.csv:3: no row of this table: could not"),
                           (HEAD + row.replace("300", "0"), "noc_x.csv:2: no row of this table: a measured figure"),
                           (HEAD + row.replace("300", "nan"), "noc_x.csv:2: no row of this table: a measured figure"),
                           (HEAD + row.replace("one_to_one,1x1", "all_to_all,0x4"), "noc_x.csv:2: no row of this"),
                           (HEAD + row.replace("one_to_one,1x1", "all_to_all,4x"), "noc_x.csv:2: no row of this"),
                           ("a\0b\n\0", "noc_x.csv"), (HEAD + '"' + row, "noc_x.csv: can't be read as a table")):
            with self.subTest(text=text), self.assertRaises(SystemExit) as refused:
                self.tables(noc_x=text)
            self.assertIn(said, str(refused.exception))
        with self.assertRaisesRegex(SystemExit, "no table, expected"):
            self.tables(other="a\n")

    def test_a_file_that_is_none_and_a_folder_that_is_none_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "noc_x.csv").write_bytes(b"\xff\xfe\x00arch")
            (pathlib.Path(folder) / "gemm.csv").mkdir()
            for wrong in (folder, f"{folder}/noc_x.csv", f"{folder}/nowhere"):
                with self.assertRaisesRegex(SystemExit, "can't be read as a table|no such folder"):
                    silicon.tables_in(wrong)

    def test_unknown_machines_of_every_table_are_counted(self):
        tables = self.tables(
            ccl_x="machine,collective,topology,chips,memory,calls_back_to_back,links_per_direction,line_rate_gbs,bytes,"
                  "time_us,suspect\nxy_box,all_gather,line,2,DRAM,1,1,12.5,4096,12,\n",
            fabric_hops="machine,kind,test,topology,message,packet_bytes,latency_avg_ns,suspect\n"
                        "xy_box,latency,t,Linear,write,16,2000,\n",
            noc_path_x="arch,operation,same_row_or_column,transactions,transaction_bytes,latency_cycles\n"
                       "xy,read,no,1,64,293\n")
        self.assertEqual([list(table.missing()) for table in tables],
                         [["a machine file of xy_box"], ["a machine file of xy_box"], ["a machine file of xy"]])

    def test_commands_are_those_of_the_row_and_its_chip(self):
        lines = ("{},one_to_one,1x1,sender,na,1,16,128,128,300,7,\n"
                 "{},all_to_all,4x4,sender,yes,16,8,1048576,65536,9,7,\n")
        table, = self.tables(noc_x=HEAD + lines.format("wormhole_b0", "wormhole_b0")
                             + lines.format("blackhole", "blackhole"))
        for (one, many), box, other, packets in ((table.rows[:2], "wormhole_box.yaml", "27", 8),
                                                 (table.rows[2:], "blackhole_box.yaml", "42", 4)):
            words = " ".join(one.words)
            self.assertTrue(all(text in words for text in (box, f"--to {other} ", "--bytes 128", "--transactions 16")))
            words = " ".join(many.words)
            self.assertIn("--itself 1", words)
            self.assertIn("router_iq", words)
            self.assertFalse([word for word in one.words + many.words if "/" in word or word.endswith(".csv")])
            self.assertEqual(many.times * int(many.words[many.words.index("--transactions") + 1]), 8 * packets)

    def test_figures_are_cycles_of_the_chips_clock(self):
        table, = self.tables(noc_x=HEAD + "blackhole,one_to_one,1x1,sender,na,1,16,128,128,270,7,\n")
        self.run_with('echo \'{"result": {"median_ns": 100, "with_software_ns": 200}}\'', table)
        self.assertEqual((table.rows[0].machine, table.rows[0].simulated), (135.0, 270.0))

    def test_rows_whose_command_is_refused_are_counted(self):
        table, = self.tables(noc_x=HEAD + "wormhole_b0,one_to_one,1x1,sender,na,1,16,128,128,270,7,\n")
        self.run_with("echo 'kbsim: --bytes:  too many' >&2; exit 2", table)
        self.assertEqual(silicon.lines_of([table]),
                         ["silicon noc_x not_simulated rows 1 needs a command that isn't refused: --bytes: too many"])
        table, = self.tables(noc_x=HEAD + "wormhole_b0,one_to_one,1x1,sender,na,1,16,128,128,270,7,\n")
        with self.assertRaisesRegex(SystemExit, "exit code 1"):
            self.run_with("exit 1", table)

    @staticmethod
    def run_with(script, table):
        runner = pathlib.Path(tempfile.mkdtemp()) / "kbsim"
        runner.write_text(f"#!/bin/sh\n{script}\n")
        runner.chmod(0o755)
        silicon.simulate(str(runner), table.rows)

    def test_both_files_of_the_chip_say_the_same(self):
        configs = pathlib.Path(silicon.__file__).parents[2] / "configs"
        noc, box = ((configs / name).read_text() for name in ("wormhole.yaml", "wormhole_box.yaml"))

        def value(text, key):
            return float(re.search(rf"\b{key}: *([0-9.]+)", text)[1])

        for key, its in (("w", "noc:\n    w"), ("h", "h"), ("link_gbs", "link_bw_gbs"), ("hop_ns", "builtin.router, "
                         "overhead_ns")):
            ours = value(box[box.index("cube:\n"):], its)
            self.assertEqual(value(noc, key), ours, key)
        channel, share = float(re.search("bw_gbs: ([0-9.]+) .* 288 GB/s", box)[1]), value(box, "efficiency")
        dram = noc[noc.index("dram:\n"):]
        self.assertAlmostEqual(value(dram, "injection_gbs"), channel * share)
        more = value(box, "hbm_ctrl.*\n.*\n *access_ns")
        self.assertEqual(value(dram, "latency_ns"), value(noc, "latency_ns") + more)
        ports = {f"{x}-{y}" for at in re.findall(r"- {at: \[(.*)\]}", box)
                 for x, y in re.findall(r"\[(\d+), (\d+)\]", at)}
        self.assertEqual(ports, set(re.findall(r"\d+-\d+", noc[noc.index("dram_nodes"):])))

    def test_rows_of_routers_with_one_figure_are_one_measurement_one_way(self):
        line = "wh_t3k,{},noc_{},{},8,1,{},{},True,1,{}\n"
        table, = self.tables(fabric_router_x=ROUTERS + "".join(line.format(*row) for row in (
            ("unicast_Linear", "unicast_write", 2048, "True", "False", 4000000),
            ("unicast_Linear", "unicast_write", 2048, "True", "True", 4000000),
            ("unicast_Linear", "unicast_write", 16, "True", "False", 4000000),
            ("unicast_Linear", "unicast_write", 16, "False", "True", 800000),
            ("unicast_Linear", "fused_unicast_write_flush_atomic_inc", 16, "True", "True", 2000000),
            ("mcast_Linear", "unicast_write", 16, "True", "True", 4000000))))
        rows = table.simulated()
        self.assertEqual([(row.size, row.one_way, row.measured) for row in rows],
                         [(2048, False, 250), (2048, True, 250), (16, False, 250)])
        self.assertEqual([(row.size, row.one_way) for row in silicon_links.distinct(rows)],
                         [(2048, True), (16, False)])
        self.assertEqual(sum(table.missing().values()), 3)

    def test_streams_of_a_mesh_are_those_of_its_rows_both_ways(self):
        table, = self.tables(fabric_router_x=ROUTERS + 'wh_t3k,unicast_Linear_all_rows_all_cols_mesh,noc_unicast_write,'
                             '16,"[4, 2]","[1, 1]","[False, False]","[False, False]","[True, True]",1,4000000\n')
        row, = table.simulated()
        self.assertIn("8:0>3,4>7,3>0,7>4", row.words)
        self.assertIn("system.sips.link.frame.header_bytes=80", row.words)

    def test_the_page_opens_no_other_file(self):
        sources = [file.read_text() for file in pathlib.Path(silicon.__file__).parent.glob("silicon*.py")]
        self.assertEqual(sum(source.count("open(") for source in sources), 1)
        self.assertFalse([source for source in sources if "shared" in source])


if __name__ == "__main__":
    unittest.main()
