#include <doctest/doctest.h>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep::test::plan_test {
namespace {

using Texts = std::vector<std::string>;

Plan planned(const std::string& yaml) {
  Draft draft;
  parse_plan(yaml, "plan.yaml", &draft);
  return plan_of(draft);
}

std::vector<Texts> points_of(const Plan& plan) {
  std::vector<Texts> all;
  for (const Point& point : plan.points) all.push_back(values_of(plan, point));
  return all;
}

// The mistakes of a plan, a line each.
std::string mistakes(const std::string& yaml) {
  try {
    (void)planned(yaml);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& yaml, const std::string& text) {
  const std::string found = mistakes(yaml);
  INFO(found);
  const bool there = found.find(text) != std::string::npos;
  CHECK_MESSAGE(there, "expected '" << text << "' in '" << found << "'");
  return there;
}

}  // namespace

TEST_CASE("Plan: all combinations, the last axis fastest") {
  const Plan plan = planned("bench: b\naxes: {x.a: [1, 2], --n: 10..30+10}\n");
  CHECK(points_of(plan) ==
        std::vector<Texts>{{"1", "10"}, {"1", "20"}, {"1", "30"}, {"2", "10"}, {"2", "20"}, {"2", "30"}});
  CHECK(words_of(plan, plan.points[1]) == Texts{"--bench", "b", "--set", "x.a=1", "--n", "20"});
}

TEST_CASE("Plan: the words of all points come before those of the axes") {
  const Plan plan = planned(
      "bench: b\ntopology: t.yaml\nplugins: [a.so, b.so]\narguments: {n: 3, timing-only: true, verify: "
      "false}\n"
      "set: {k.l: 5}\naxes: {x: [it's]}\n");
  CHECK(words_of(plan, plan.points[0]) == Texts{"--bench", "b", "--topology", "t.yaml", "--plugin", "a.so",
                                                "--plugin", "b.so", "--n", "3", "--timing-only", "--set",
                                                "k.l=5", "--set", "x=it's"});
  CHECK(command_of(plan, plan.points[0]).ends_with("--set 'x=it'\\''s'"));
}

TEST_CASE("Plan: a key or an option is said once, and none that makes points write files") {
  CHECK(
      says("bench: b\nset: {k.l: 5}\naxes: {k.l: [1, 2]}\n", "is set twice, by the sweep itself and by k.l"));
  CHECK(says("bench: b\naxes: {k.l: [1, 2], m: {a: {k.l: 3}, b: {x.y: 4}}}\n",
             "is set twice, by k.l and by m"));
  CHECK(mistakes("bench: b\naxes: {m: {a: {k.l: 3}, b: {k.l: 4}}}\n").empty());
  CHECK(says("bench: b\naxes: {m: {a: {--out: x}, b: {k.l: 4}}}\n", "has no place in a sweep"));
  CHECK(says("bench: b\naxes: {--trace: [x.json, y.json]}\n", "has no place in a sweep"));
}

TEST_CASE("Plan: an axis is in one zip, and a zip in none") {
  CHECK(says("bench: b\naxes: {x: [1, 2], y: [3, 4], z: [5, 6]}\nzip: [[y, z], [x, y]]\n",
             "'y' is in another zip already"));
  CHECK(says("bench: b\naxes: {x: [1, 2]}\nzip: &z [*z]\n", "zip"));
  CHECK(says("bench: b\naxes: {x: [1, 2]}\nzip: [x]\n", "'x': expected two axes or more, as A,B"));
}

TEST_CASE("Plan: zipped axes go together, named configurations are several settings") {
  const Plan plan = planned(
      "bench: b\n"
      "axes:\n"
      "  w: [1, 2, 3]\n"
      "  m: {small: {a.b: 1, --n: 2}, large: {a.b: 9}}\n"
      "  h: 2..6*1.7320508075688772\n"
      "zip: [w, h]\n");
  REQUIRE(plan.points.size() == 6);
  CHECK(points_of(plan)[2] == Texts{"2", "small", "3.46410161514"});
  CHECK(words_of(plan, plan.points[0]) ==
        Texts{"--bench", "b", "--set", "w=1", "--set", "a.b=1", "--n", "2", "--set", "h=2"});
}

TEST_CASE("Plan: where leaves out points, by arithmetic, texts and logic") {
  const auto count = [](const std::string& where) {
    return planned("bench: b\naxes: {w: 1..4, h: 1..4, m: {s: {a: 1}, l: {a: 2}}}\nwhere: " + where + "\n")
        .points.size();
  };
  CHECK(count("w * h <= 4") == 2 * 8);  // 4 + 2 + 1 + 1
  CHECK(count("w == h and m == 's'") == 4);
  CHECK(count("not (w < h or w > h)") == 8);
  CHECK(count("(w + h) % 2 == 1") == 16);
  CHECK(count("'-w + 5 == h && m != \"s\" || w / h > 3'") == 5);
  CHECK(count("[w == 1, h == 2]") == 2);
  CHECK(count("w == '2' and '2' < h") == 4);  // a text in quotes that is a number is one
  CHECK(count("w > 2 and 4 / (w - 2) > 2") == 8);
}

TEST_CASE("Plan: random takes N points by seed; of too many combinations too") {
  const std::string axes = "bench: b\naxes: {w: 1..100, h: 1..100}\n";
  const Plan some = planned(axes + "random: 50 seed 1\n");
  CHECK(some.points.size() == 50);
  CHECK(points_of(some) == points_of(planned(axes + "random: 50 seed 1\n")));
  CHECK(points_of(some) != points_of(planned(axes + "random: 50 seed 2\n")));
  const std::string many = "bench: b\naxes: {a: 1..1000, b: 1..1000, c: 1..1000}\n";
  CHECK(says(many, "1000000000 combinations"));
  const Plan odd = planned(many + "random: 30 seed 1\nwhere: a % 2 == 1 and b > c\n");
  REQUIRE(odd.points.size() == 30);
  for (const Texts& point : points_of(odd)) CHECK(std::stoi(point[0]) % 2 == 1);
}

TEST_CASE("Plan: every mistake is reported, with its place and a remedy") {
  CHECK(says("axes: {a: [1]}\n",
             "plan.yaml: bench: is missing, in the plan or as --bench NAME; see kbsim list"));
  CHECK(says("bench: b\naxis: {a: [1]}\n", "plan.yaml:2:1: axis: unknown key, did you mean 'axes'?"));
  CHECK(says("bench: b\naxes:\n  a: 5..1\n", "plan.yaml:3:3: a: '5..1': expected a last value"));
  CHECK(says("bench: b\naxes: {a: [1, 1]}\n", "the value 1 is there twice"));
  CHECK(says("bench: b\naxes: {a: []}\n", "has no values"));
  CHECK(says("bench: b\naxes: {a: [[1]]}\n", "expected a value"));
  CHECK(says("bench: b\naxes: {a: [1], a: [2]}\n", "a: is there twice"));
  CHECK(says("bench: b\naxes: {a: [1], b: [1, 2]}\nzip: [a, b]\n", "'b' has 2 values, and 'a' has 1"));
  CHECK(says("bench: b\naxes: {a: [1]}\nzip: [a, c]\n", "no axis is called 'c'"));
  CHECK(says("bench: b\naxes: {apple: [1]}\nwhere: aple > 1\n", "did you mean 'apple'?"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: a > \n", "it ends too early"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: a = 1\n", "unexpected '=', expected =="));
  CHECK(says("bench: b\naxes: {a: [x]}\nwhere: a == x\n", "a text has quotes"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: (a\n", "')' is missing"));
  CHECK(says("bench: b\naxes: {a: [x]}\nwhere: a < 3\n", "'x' is no number"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: a > 1\n", "'where' holds for none"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: 1\n", "'1': it names no axis"));
  CHECK(says("bench: b\naxes: {a: [0, 1]}\nwhere: 1 / a > 0\n", "'1 / a > 0': division by 0"));
  CHECK(says("bench: b\naxes: {a: [0, 1]}\nwhere: 1 % a == 0\n", "division by 0"));
  CHECK(says("bench: b\nrandom: many\n", "expected N seed S"));
  CHECK(says("bench: b\narguments: {out: x}\n", "has no place in a sweep"));
  CHECK(says("bench: b\naxes: {--out: [x]}\n", "has no place in a sweep"));
  CHECK(says("bench: [\n", "not valid YAML"));
  CHECK(says("axes:\n\tx: [1]\n", "; line 2 is indented with a tab, YAML takes spaces"));
  CHECK(says("just a text\n", "expected keys"));
}

TEST_CASE("Plan: hostile plans end with an error, not with the stack or the memory") {
  CHECK(says(std::string(100'000, '['), "plan.yaml"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: '" + std::string(3000, '(') + "'\n", "nested too deeply"));
  CHECK(says("bench: b\naxes: {a: [1]}\nwhere: '" + std::string(5000, '-') + "a'\n", "4096"));
  CHECK(says("bench: b\naxes: {a: 1..1e300}\n", "at most 1000000 values"));
  CHECK(says("bench: &x [*x]\n", "plan.yaml"));
  std::string axes = "bench: b\naxes: {a: [1]";
  for (int i = 0; i < 100; ++i) axes += ", a" + std::to_string(i) + ": [1]";
  CHECK(says(axes + "}\n", "more than 64"));
}

}  // namespace kbsim::sweep::test::plan_test
