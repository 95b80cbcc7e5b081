"""Plants violations in a temporary folder: each lint must find them, and only them."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import adrs
import class_sizes
import coroutines
import file_names
import format
import hygiene
import includes
import links
import prose
import quotes
import texts
import words
import friends
import interfaces
import orders
import standard_headers

sys.path.append(str(pathlib.Path(__file__).parents[2] / "cmake"))
import header_chains


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self, lint):
        return [f"{finding.path}:{finding.line}" for finding in lint.check(self.root)]


def notebook(*cells):
    """A notebook as Jupyter writes it, of (kind, lines of a cell)."""
    return json.dumps({"cells": [{"cell_type": kind, "metadata": {}, "source": lines} for kind, lines in cells],
                       "nbformat": 4}, indent=1)


class Notebooks(LintTest):
    def test_text_is_checked_where_it_stands_and_code_is_not(self):
        self.write("docs/a.ipynb", notebook(
            ("markdown", ["# A\n", "Nobody \"waits\".\n", "[to](#a) [no](b.md)"]),
            ("code", ["# Nobody [no](b.md)\n", "x = [\n", "]"]), ("markdown", []), ("markdown", ["word " * 31])))
        self.assertEqual(set(self.found(words)), {"docs/a.ipynb:8"})
        self.assertEqual(self.found(links), ["docs/a.ipynb:9"])

    def test_long_sentences_are_counted(self):
        self.write("docs/a.ipynb", notebook(("markdown", ["word " * 31 + "\n", "word " * 32])))
        self.assertEqual(self.found(prose), ["docs/a.ipynb:7", "docs/a.ipynb:8"])


class Words(LintTest):
    def test_plain_words_pass(self):
        self.write("lib/sim/src/a.cpp", "// Latency of an access. `told_` is a name, \"nobody\" a text, take_back() too.\n"
                                        "int reported = 0; const char* said = \"nobody // is told\";\n")
        self.assertEqual(self.found(words), [])

    def test_the_private_language_is_found(self):
        self.write("lib/sim/src/a.cpp", "int told_ = 0;\n/// Of each rank.\nint b; // nobody hears it\nvoid tell_again();\n"
                                        "// It waits. What comes next is first.\n// a queue of which one is free\n")
        self.assertEqual(sorted(set(self.found(words))), [f"lib/sim/src/a.cpp:{line}" for line in range(1, 7)])

    def test_messages_of_the_program_are_checked(self):
        text = "auto a = \"nobody sends\";  // \"nobody\"\nauto b = \"right behind it\"; auto c = \"after it\";\n"
        self.write("apps/kbsim/src/a.cpp", text)
        self.write("test/a.cpp", text)
        self.assertEqual(self.found(words), ["apps/kbsim/src/a.cpp:1", "apps/kbsim/src/a.cpp:2"])

    def test_decisions_are_checked_sentence_by_sentence(self):
        self.write("docs/adr/0001-a.md", "# 0001 Of links\n\n## Question\nIt waits. What is first, `a.b` or c?\n"
                                         "- **Those** that wait\n| a | Who sends |\n```\n# Of code\n```\n1. A link. Of two.\n")
        self.write("docs/shortcut.md", "`told`, \"nobody\"\n*Nobody* waits.\n")
        self.write("docs/cli.md", "Of no interest\n")
        self.assertEqual(self.found(words), ["docs/adr/0001-a.md:1", "docs/adr/0001-a.md:5", "docs/adr/0001-a.md:6",
                                             "docs/adr/0001-a.md:10", "docs/cli.md:1", "docs/shortcut.md:2",
                                             "docs/shortcut.md:2"])


class Prose(LintTest):
    def test_one_long_sentence_of_a_short_page_passes(self):
        self.write("docs/a.md", "word " * 31 + "\n" + "Short one. Another `x y z`: and more. " * 20)
        self.assertEqual(self.found(prose), [])

    def test_more_than_one_in_fifty_are_found(self):
        self.write("docs/a.md", "A sentence. " + "word " * 31 + "\n\n```\n" + "code " * 40 + "\n```\n"
                                "| cell | " + "word " * 32 + "|\n- " + "word " * 30 + "\n")
        self.assertEqual(self.found(prose), ["docs/a.md:1", "docs/a.md:6"])

    def test_counts_are_printed(self):
        self.write("docs/a.md", "One. Two. W" + "word " * 31)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            prose.print_counts(self.root)
        self.assertIn("   1 of     3  docs/a.md\n", out.getvalue())


class Quotes(LintTest):
    def test_blocks_that_no_example_has_are_found(self):
        self.write("examples/a/a.cpp", "int a;\nint b;\n")
        self.write("docs/tutorials/component.md", "```cpp\nint b;\n```\n```sh\nint\n```\n```cpp\nint c;\n```\n")
        self.assertEqual(self.found(quotes), ["docs/tutorials/component.md:7"])


class FileNames(LintTest):
    def test_a_pair_is_one_name(self):
        for name in ("lib/sim/src/a.cpp", "lib/sim/include/kbsim/sim/a.hpp", "kernels/ring/b.cpp",
                     "kernels/include/kbsim/kernels/b.hpp", "apps/kbsim/src/main.cpp", "apps/other/main.cpp",
                     "test/sim/a.cpp"):
            self.write(name, "")
        self.assertEqual(self.found(file_names), [])

    def test_a_second_file_of_a_name_is_found(self):
        for name in ("lib/sim/src/a.cpp", "lib/hw/pe/src/a.hpp", "lib/sim/src/b.cpp", "lib/sim/src/more/b.cpp"):
            self.write(name, "")
        self.assertEqual(self.found(file_names), ["lib/sim/src/a.cpp:1", "lib/sim/src/more/b.cpp:1"])


class ClassSizes(LintTest):
    FUNCTIONS = "".join(f"  int f{i}(int a = 0) const;\n" for i in range(class_sizes.MOST))

    def test_data_types_and_defaults_dont_count_nor_do_classes_inside(self):
        self.write("lib/sim/include/a.hpp", "class A : public B {\n public:\n  A() = default;\n  A(const A&) = delete;\n"
                                            "  using F = int(int);\n  std::vector<std::function<void()>> calls_;\n"
                                            "  struct C {\n    void f();\n  };\n  Time t_{1};  // f()\n"
                                            f"{self.FUNCTIONS}}};\n")
        self.write("lib/tl/include/tl.hpp", f"class TL {{\n{self.FUNCTIONS}  void more();\n}};\n")
        self.write("test/sim/a.cpp", f"class A {{\n{self.FUNCTIONS}  void more();\n}};\n")
        self.assertEqual(self.found(class_sizes), [])

    def test_one_function_more_is_found_whatever_its_form(self):
        forms = ["explicit A(int x) : x_{x}, y_{x} {}", "virtual ~A();", "bool operator<(const A&) const;",
                 "explicit operator bool() const { return f(); }", "template <class T>\n  T get() { return {}; }",
                 "[[nodiscard]] static std::vector<int> all();", "void run() override {\n    if (a) b();\n  }"]
        for i, form in enumerate(forms):
            self.write(f"lib/sim/src/a{i}.hpp", f"\nclass A{i} final : public B {{\n{self.FUNCTIONS} public:\n  {form}\n}};\n")
        self.assertEqual(self.found(class_sizes), [f"lib/sim/src/a{i}.hpp:2" for i in range(len(forms))])


class Interfaces(LintTest):
    def test_interfaces_own_models_and_tests_may_be_named(self):
        self.write("lib/hw/src/a.cpp", "auto& a = machine.at<IDma>(id);\nauto* b = dynamic_cast<const hw::IGemm*>(c);\n"
                                       "auto d = list.at<0>(1); // at<PeDma>(x)\n")
        self.write("lib/hw/include/a.hpp", "template <class T> T& at() { return dynamic_cast<T&>(*x); }\n")
        self.write("test/hw/a.cpp", "auto& a = machine.at<Sink>(id);\n")
        self.assertEqual(self.found(interfaces), [])

    def test_models_of_others_are_found(self):
        self.write("lib/hw/src/a.cpp", "auto& a = machine.at<PeDma>(id);\nauto* b = dynamic_cast<const hw::PeGemm *>(c);\n")
        self.write("apps/kbsim/a.cpp", "\nauto& a = machine.at<hw::Inbox>(id);\n")
        self.assertEqual(self.found(interfaces), ["apps/kbsim/a.cpp:2", "lib/hw/src/a.cpp:1", "lib/hw/src/a.cpp:2"])


class StandardHeaders(LintTest):
    def test_own_includes_and_those_of_the_projects_headers_count(self):
        self.write("lib/sim/include/kbsim/sim/a.hpp", "#include <vector>\nstd::vector<int> a(std::size_t n);  // std::map\n")
        self.write("lib/sim/include/kbsim/sim/b.hpp", '#include "kbsim/sim/a.hpp"\nstd::vector<int> b();\n')
        self.write("lib/sim/src/c.hpp", "std::map<int, int> c();\n")
        self.assertEqual(self.found(standard_headers), [])

    def test_a_name_without_its_header_is_found_and_so_is_an_unknown_one(self):
        self.write("lib/sim/include/kbsim/sim/a.hpp", "#include <string>\nstd::string a();\nstd::vector<int> b();\n")
        self.write("lib/sim/include/kbsim/sim/b.hpp", "#include <vector>\n// <map>\nstd::map<int, std::flux> c();\n")
        self.assertEqual(self.found(standard_headers), ["lib/sim/include/kbsim/sim/a.hpp:3",
                                                        "lib/sim/include/kbsim/sim/b.hpp:3",
                                                        "lib/sim/include/kbsim/sim/b.hpp:3"])

    def test_a_name_of_boost_that_is_precompiled_is_asked_for_its_header(self):
        self.write("lib/sim/include/kbsim/sim/a.hpp", "#include <boost/json/value.hpp>\nboost::json::object a();\n")
        self.write("lib/sim/include/kbsim/sim/b.hpp", "\nboost::container::small_vector<int, 2> b();\n")
        self.write("lib/sim/include/kbsim/sim/c.hpp", '#include "kbsim/sim/b.hpp"\nboost::json::value c();\n')
        self.assertEqual(self.found(standard_headers), ["lib/sim/include/kbsim/sim/b.hpp:2",
                                                        "lib/sim/include/kbsim/sim/c.hpp:2"])


class Friends(LintTest):
    def test_a_friend_of_the_folder_is_allowed(self):
        self.write("lib/hw/fabric/include/kbsim/hw/fabric/a.hpp", "class A {\n  friend class B;\n  friend struct Forward;\n};\n")
        self.write("lib/hw/fabric/src/b.hpp", "class B final : public I {\n};\n")
        self.write("lib/sim/include/c.hpp", "class C {\n  friend class detail::D;\n};\nclass detail::D {};\n")
        self.assertEqual(self.found(friends), [])

    def test_a_friend_from_elsewhere_is_found(self):
        self.write("lib/hw/fabric/include/kbsim/hw/fabric/a.hpp", "class A {\n  friend class B;\n};\n")
        self.write("lib/hw/pe/src/b.hpp", "class B {\n};\n")
        self.write("lib/host/include/c.hpp", "class C {\n  friend class hw::A;\n};\n")
        self.assertEqual(self.found(friends), ["lib/host/include/c.hpp:2",
                                                "lib/hw/fabric/include/kbsim/hw/fabric/a.hpp:2"])


class Orders(LintTest):
    def test_two_kinds_of_one_order_are_found_and_tests_may_repeat_them(self):
        kind = "struct K {\n  static constexpr BodyTraits kTraits{.name = \"k\", .order = %d, .in_order = false};\n};\n"
        self.write("lib/hw/include/a.hpp", kind % 1 + kind % 2)
        self.write("lib/hw/include/b.hpp", kind % 3)
        self.write("test/hw/c.cpp", kind % 1)
        self.assertEqual(self.found(orders), [])
        self.write("lib/hw/include/b.hpp", kind % 3 + kind % 2)
        self.assertEqual(self.found(orders), ["lib/hw/include/b.hpp:5"])


class Includes(LintTest):
    def setUp(self):
        super().setUp()
        self.write("lib/sim/CMakeLists.txt", "kbsim_room(sim ROOMS base THIRD_PARTY Boost::headers)")
        self.write("lib/config/CMakeLists.txt", "kbsim_room(config ROOMS base PRIVATE_THIRD_PARTY yaml-cpp)")

    def test_a_room_includes_what_it_names(self):
        self.write("lib/sim/src/a.cpp", '#include <vector>\n#include "kbsim/base/time.hpp"\n#include <boost/asio/post.hpp>\n'
                                        '#include <fmt/format.h>\n#include <boost/container/small_vector.hpp>\n')
        self.write("lib/config/src/a.cpp", "#include <yaml-cpp/yaml.h>\n")
        self.write("lib/replay/src/a.cpp", "#include <Eigen/Core>\n")
        self.write("test/sim/a.cpp", '#include <doctest/doctest.h>\n#include "kbsim/sim/task.hpp"\n#include "sim/x.hpp"\n')
        self.write("test/sim/sim/x.hpp", "")
        self.write("test/contract/a.cpp", '#include "kbsim/hw/pe.hpp"\n#include <boost/json.hpp>\n')
        self.write("apps/kbsim/a.cpp", '#include "kbsim/hw/pe.hpp"\n#include <boost/program_options.hpp>\n')
        self.assertEqual(self.found(includes), [])

    def test_other_rooms_are_found(self):
        self.write("lib/sim/src/a.cpp", '\n#include "kbsim/config/machine_spec.hpp"\n')
        self.write("test/sim/a.cpp", '#include "kbsim/config/machine_spec.hpp"\n')
        self.write("kernels/a.cpp", '#include "kbsim/tl/tl.hpp"\n#include "kbsim/hw/pe.hpp"\n')
        self.assertEqual(self.found(includes), ["kernels/a.cpp:2", "lib/sim/src/a.cpp:2", "test/sim/a.cpp:1"])

    def test_rooms_of_a_room_are_told_apart(self):
        self.write("lib/hw/CMakeLists.txt", "kbsim_rooms(hw ${rooms})")
        self.write("lib/hw/fabric/CMakeLists.txt", "kbsim_room(hw_fabric OBJECT ROOMS base)")
        self.write("lib/hw/machine/CMakeLists.txt", "kbsim_room(hw_machine OBJECT ROOMS base hw_fabric)")
        self.write("lib/host/CMakeLists.txt", "kbsim_room(host ROOMS base hw)")
        self.write("lib/hw/fabric/include/kbsim/hw/fabric/link.hpp", '#include "kbsim/hw/machine.hpp"\n')
        self.write("lib/hw/machine/include/kbsim/hw/machine.hpp", '#include "kbsim/hw/fabric/link.hpp"\n')
        everything = '#include "kbsim/base/time.hpp"\n#include "kbsim/hw/fabric/link.hpp"\n#include "kbsim/hw/machine.hpp"\n'
        self.write("lib/host/src/a.cpp", everything)
        self.write("test/hw/a.cpp", everything + '#include "kbsim/host/session.hpp"\n')
        self.assertEqual(self.found(includes), ["lib/hw/fabric/include/kbsim/hw/fabric/link.hpp:1", "test/hw/a.cpp:4"])

    def test_third_parties_outside_their_rooms_are_found(self):
        self.write("lib/sim/src/a.cpp", "#include <yaml-cpp/yaml.h>\n#include <range/v3/all.hpp>\n")
        self.write("lib/replay/include/kbsim/replay/a.hpp", "#include <Eigen/Core>\n")
        self.write("lib/report/src/a.cpp", "#include <boost/asio/post.hpp>\n#include <boost/json.hpp>\n")
        self.write("lib/hw/src/a.cpp", "#include <doctest/doctest.h>\n#include <boost/spirit/home/x3.hpp>\n")
        self.assertEqual(self.found(includes), [
            "lib/hw/src/a.cpp:1", "lib/hw/src/a.cpp:2", "lib/replay/include/kbsim/replay/a.hpp:1",
            "lib/report/src/a.cpp:1", "lib/sim/src/a.cpp:1", "lib/sim/src/a.cpp:2"])


class Coroutines(LintTest):
    def assert_lines(self, lines, code):
        self.write("a.cpp", code)
        self.assertEqual(self.found(coroutines), [f"a.cpp:{line}" for line in lines])

    def test_awaits_with_a_line_of_their_own_pass(self):
        self.assert_lines([], """
            Task<> f(Channel& in) {
              co_await delay(3_ns);
              const Packet p = co_await in.receive();
              chunk[i] += co_await got(a, {.b = 1}, [](int x) { return x == 1; });
              if (a == b) x = co_await y;
              for (auto& o : out) co_await o;
              switch (k) { case 1: co_await a; break; default: co_await b; }
              const auto [m, n] = co_await both<int>(a < b);
              // if (co_await x) in a comment, and "while (co_await x)" in text
              auto operator co_await();
              co_return co_await g((a || b), *c);
            }""")

    def test_awaits_in_heads_are_found(self):
        self.assert_lines([2, 3, 4, 5], """
            if (co_await a) b();
            while (!co_await a()) b();
            switch (co_await a) {}
            for (auto x : co_await a) b();
            """)

    def test_nested_awaits_are_found(self):
        self.assert_lines([2, 3, 4, 5, 6, 7], """
            f(co_await a);
            Agg x{co_await a};
            const int y = co_await a + 1;
            const int z = 1 + co_await a;
            Tile a = co_await p, b = q;
            CHECK((co_await a) == 1);
            """)

    def test_capturing_lambda_coroutines_are_found(self):
        self.assert_lines([2, 3, 4], """
            auto f = [&] { co_await a; };
            auto g = [x = 1, this](int y) -> Task<> { co_return; };
            spawn([=]() mutable -> Task<int> { co_yield x; });
            """)

    def test_other_lambdas_pass(self):
        self.assert_lines([], """
            auto f = [](Sim& sim) -> Task<> { co_await sim.delay(1_ns); };
            auto g = [&](int x) { return x + y[0]; };
            [[nodiscard]] int h(int (&array)[2]) { return array[0]; }
            auto k = [&] { sim.spawn([](Sim& s) -> Task<> { co_await s.delay(1_ns); }(sim)); };
            """)


class Texts(LintTest):
    def assert_lines(self, lines, code):
        self.write("lib/tl/src/a.cpp", code)
        self.write("test/a.cpp", code)  # tests may
        self.assertEqual(self.found(texts), [f"lib/tl/src/a.cpp:{line}" for line in lines])

    def test_texts_that_are_compared_or_searched_are_found(self):
        self.assert_lines([2, 3, 4, 5, 6, 9, 10, 13], """
            if (command.pending->what() == "gather") access.call = "gather";
            if ("put" != pending.name()) return;
            if (one.process.ends_with(kStalled)) stalls(one.process.substr(0, 3));
            if (process.waiting.what != std::string{"event "} + kRanksEnd) continue;
            for (const Process& process : waits.processes()) who[process.waiting.what] = process.name;
            void f() {
              const std::string& what = process.waiting.what;
              const std::string work = what.starts_with("event ") ? what.substr(6) : "";
              if (waits.awaited(from) != "event " + name) continue;
            }
            void g(const Process& process) {
              const auto found = who.find("event " + order.awaited);
            }""")

    def test_texts_that_are_printed_and_other_members_pass(self):
        self.assert_lines([], """
            // if (wait.what() == "gather")
            throw Error{error.exit_code(), call + ": " + error.what()};
            if (missing.why == StandingBarrier::Absence::ended || first.what == what) return;
            const std::string& name = node.name();
            text += node.waiting->process + ": " + node.waiting->what;
            if (awaited.as<RecvWait>() != nullptr || process.waiting.awaits != RanksEnd{}) return;
            """)


class Hygiene(LintTest):
    def test_machine_paths_and_unfinished_work_are_found(self):
        self.write("a.md", "fine: test/work/a, https://x.org/home/b, ~/out\n" + "see /" + "home/me/x\n")
        self.write("b.cpp", "// TO" + "DO: later\n")
        self.assertEqual(self.found(hygiene), ["a.md:2", "b.cpp:1"])


class Format(LintTest):
    def test_a_crooked_file_is_found_at_its_first_line(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("a.cpp", "int a = 1;\n")
        self.write("b.cpp", "int a = 1;\nint  b=2;\nint  c;\n")
        self.assertEqual(self.found(format), ["b.cpp:2"])


class Adrs(LintTest):
    BEFORE = "## Question\n## Facts\n## Decision\n## Rejected\n## Check\n"
    AFTER = "## Revisit when\n`no/such`\n"

    def page(self, name, checks, status="accepted", more=""):
        number = name.split("/")[-1][:4]
        self.write(f"docs/adr/{name}", f"# {number} Title\n\nStatus: {status}\n{self.BEFORE}{checks}\n{self.AFTER}{more}")

    def index(self, *rows):
        self.write("docs/adr/README.md", "\n".join(rows) + "\n")

    def test_pages_with_a_status_and_checks_that_exist_pass(self):
        self.index("| [0001](0001-a.md) | Title | accepted |", "| 0002 | Gone | superseded by [x](../x.md) |",
                   "| [0003](performance/0003-c.md) | Title | superseded by 0001 |")
        self.write("test/sim/a.cpp", "")
        self.page("0001-a.md", "`test/sim/a.cpp`, `test/sim/*.cpp` and `test/sim`")
        self.page("performance/0003-c.md", "`test/sim`", "superseded by 0001")
        self.write("docs/explanation/shortcut.md", "`no/such`\n## Proofs\n`test/sim/a.cpp`\n")
        self.assertEqual(self.found(adrs), [])

    def test_checks_that_do_not_exist_and_other_sections_are_found(self):
        self.index(*(f"| [000{i}](000{i}-a.md) | Title | accepted |" for i in (1, 2, 3)))
        self.page("0001-a.md", "`test/sim/b.cpp`")
        self.write("docs/adr/0002-a.md", "# 0002 Title\n\nStatus: accepted\n")
        self.page("0003-a.md", "", more="## More\n")
        self.write("docs/explanation/shortcut.md", "# Page\n## Proofs\n`test/sim/b.cpp`\n")
        self.assertEqual(self.found(adrs), [
            "docs/adr/0001-a.md:9", "docs/adr/0002-a.md:1", "docs/adr/0003-a.md:1", "docs/explanation/shortcut.md:3"])

    def test_an_index_that_says_otherwise_is_found(self):
        self.index("| [0001](0001-a.md) | Title | superseded by 0002 |", "| [0002](0002-a.md) | Other | accepted |",
                   "| 0003 | Gone | accepted |", "| [0004](0004-a.md) | Title | accepted |", "| 0001 | Again | superseded by 0002 |")
        for number in (1, 2, 5):
            self.page(f"000{number}-a.md", "")
        self.assertEqual(self.found(adrs), [f"docs/adr/README.md:{line}" for line in (1, 1, 2, 3, 4, 5, 1)])

    def test_a_page_without_status_or_of_more_than_a_page_and_a_half_is_found(self):
        self.index("| [0001](0001-a.md) | Title | accepted |", "| [0002](0002-a.md) | Title | accepted |")
        self.page("0001-a.md", "", more="word " * 750)
        self.page("0002-a.md", "", "perhaps")
        self.assertEqual(self.found(adrs), ["docs/adr/README.md:2", "docs/adr/0001-a.md:1", "docs/adr/0002-a.md:1"])


class Links(LintTest):
    def test_links_to_what_is_not_there_are_found(self):
        self.write("docs/a.md", "# A++ (b), `c`\n## B\n## B\n```\n# no heading\n[x](no)\n```\n`[x](no)`\n"
                                "[to](#a-b-c) [to](#b-1) [out](https://x.y/#z) [folder](../src) [to](b.md#c)\n"
                                "[gone](c.md)\n[no](#a-b)\n[no](b.md#no-heading)\n")
        self.write("docs/b.md", "# C\n[back](a.md#b)\n[no](a.md#b-2)\n")
        self.write("src/x.cpp", "")
        self.assertEqual(self.found(links), [
            "docs/a.md:10", "docs/a.md:11", "docs/a.md:12", "docs/b.md:3"])


class HeaderChains(unittest.TestCase):
    def test_a_header_stands_behind_those_that_it_includes_itself_or_through_others(self):
        texts_of = {"a": "", "b": '#include "a"\n', "c": '#include "b"\n', "d": '#include "a"\n', "e": '#include "x"\n'}
        self.assertEqual(header_chains.chains(header_chains.included(texts_of)), [["a", "b", "c"], ["d"], ["e"]])

    def test_headers_are_those_of_the_deepest_that_they_include(self):
        below = {"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": {"a", "b", "c"}, "e": set()}
        self.assertEqual(header_chains.by_deep(below, ["a", "b"]),
                         {"-": {"a": set(), "e": set()}, "a": {"b": {"a"}}, "b": {"c": {"a", "b"}, "d": {"a", "b", "c"}}})

    def test_an_include_below_code_is_found(self):
        self.assertIsNone(header_chains.late_include('// a\n#pragma once\n\n#include "a"\nint b;\n'))
        self.assertEqual(header_chains.late_include('#pragma once\nint b;\n#include "a"\n'), 3)


if __name__ == "__main__":
    unittest.main()
