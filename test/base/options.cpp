// Options of a described struct: accepted values, and mistakes in a description.
#include "kbsim/base/options.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::test::options_test {

namespace {

enum class Phase : std::uint8_t { prefill, decode, all };

struct All {
  std::int64_t n = 3;
  int level = 1;
  double share = 0.5;
  Time pause = 10_ns;
  Bandwidth rate = Bandwidth::gbs(2);
  Bytes size{4096};
  bool on = false;
  Phase phase = Phase::all;
  std::string label = "plain";
  std::string file;

  static void describe(auto& f) {
    f.add("n,N", &All::n, between(1, 64), "how many");
    f.add("level", &All::level, at_least(0), "how high");
    f.add("share", &All::share, between(0.0, 1.0), "of all");
    f.add("pause", &All::pause, kNotNegative, "between them");
    f.add("rate", &All::rate, kPositive, "of each");
    f.add("size,s", &All::size, between(1_KiB, 1_MiB), "of each");
    f.add("on", &All::on, "whether");
    f.choice("phase", &All::phase, {"prefill", "decode", "all"}, "which");
    f.add("label", &All::label, "a name");
    f.add("file", &All::file, "to write").called("FILE").output();
  }
};

using Words = std::vector<std::string>;

All parsed(const Words& words) { return parse_options(described_options<All>(), words).as<All>(); }

void refuses(const Words& words, const char* says) {
  CHECK_THROWS_WITH_AS((void)parsed(words), says, UsageError);
}

}  // namespace

TEST_CASE("Options: those not given have the struct's own values") {
  const All none = parsed({});
  CHECK(none.n == 3);
  CHECK(none.pause == 10_ns);
  CHECK(none.phase == Phase::all);
  CHECK(none.label == "plain");
}

TEST_CASE("Options: each type from its text, by long name, short name and with an equals sign") {
  const All all = parsed({"--n", "64", "--level=7", "--share", "1", "--pause", "0.25", "--rate=1.5", "-s",
                          "4KiB", "--on", "1", "--phase", "decode", "--label", "two words"});
  CHECK(all.n == 64);
  CHECK(all.level == 7);
  CHECK(all.share == 1.0);
  CHECK(all.pause == from_ns(0.25));
  CHECK(all.rate.gbs() == 1.5);
  CHECK(all.size == 4_KiB);
  CHECK(all.on);
  CHECK(all.phase == Phase::decode);
  CHECK(all.label == "two words");
  CHECK(parsed({"-N", "1"}).n == 1);
  CHECK(parsed({"--label", "--n"}).label == "--n");
}

TEST_CASE("Options: a value that isn't accepted is reported by name, with the range") {
  refuses({"--n", "65"}, "--n must be 1 to 64, got 65");
  refuses({"--n", "0"}, "--n must be 1 to 64, got 0");
  refuses({"--n", "x"}, "--n must be a whole number, 1 to 64, got 'x'");
  refuses({"--n", "3.5"}, "--n must be a whole number, 1 to 64, got '3.5'");
  refuses({"--n", "3 "}, "--n must be a whole number, 1 to 64, got '3 '");
  refuses({"--n", ""}, "--n must be a whole number, 1 to 64, got ''");
  refuses({"--n", "99999999999999999999"}, "--n must be a whole number, 1 to 64, got '99999999999999999999'");
  refuses({"--level", "-1"}, "--level must be at least 0, got -1");
  refuses({"--level", "3000000000"}, "--level must be 0 to 2147483647, got 3000000000");
  refuses({"--share", "1.01"}, "--share must be 0 to 1, got 1.01");
  refuses({"--share", "nan"}, "--share must be a number, 0 to 1, got 'nan'");
  refuses({"--pause", "-1"}, "--pause must be at least 0 ns, got -1");
  refuses({"--pause", "1e10"}, "--pause must be 0 to 1000000000 ns, got 1e10");
  refuses({"--rate", "0"}, "--rate must be more than 0 GB/s, got 0");
  refuses({"--size", "1"}, "--size must be 1 KiB to 1 MiB, got 1");
  refuses({"--size", "4 apples"},
          "--size must be bytes, as 4096, 4KiB or 1MiB, 1 KiB to 1 MiB, got '4 apples'");
  refuses({"--on", "yes"}, "--on must be 0 or 1, got yes");
  refuses({"--phase", "first"}, "--phase first: expected prefill, decode or all");
  refuses({"--phase", "prefil"}, "--phase prefil: expected prefill, decode or all; did you mean 'prefill'?");
}

TEST_CASE("Options: an unknown one, one given twice, one without a value and an argument too many") {
  refuses({"--labl", "x"}, "unknown option '--labl', did you mean '--label'?");
  refuses({"--n", "1", "-N", "2"}, "--n is given twice");
  refuses({"--n"}, "--n has no value");
  refuses({"7"}, "unexpected argument '7'");
}

TEST_CASE("Options: values say what was given, and what isn't described is our own mistake") {
  const OptionValues values{described_options<All>(), {{"n", "3"}}};
  CHECK(values.given("n"));
  CHECK(!values.given("label"));
  CHECK(std::get<std::int64_t>(values.value("n")) == 3);
  CHECK_THROWS_AS((void)values.given("no_such"), InternalError);
  struct Other {};
  CHECK_THROWS_AS((void)values.as<Other>(), InternalError);
  CHECK_THROWS_AS((void)OptionValues{}.as<All>(), InternalError);
}

TEST_CASE("Options: help has a default, a range and a name for each value") {
  const OptionSet all = described_options<All>();
  const auto text = [&](const char* name) {
    const Option& option = *all.find(name);
    return option.value + " " + default_text(all, option) + " " + range_text(option);
  };
  CHECK(text("n") == "N 3 1 to 64");
  CHECK(text("share") == "X 0.5 0 to 1");
  CHECK(text("pause") == "NS 10 at least 0 ns");
  CHECK(text("size") == "BYTES 4096 1 KiB to 1 MiB");
  CHECK(text("on") == "0|1 0 0 or 1");
  CHECK(text("phase") == "prefill|decode|all all prefill, decode or all");
  CHECK(text("file") == "FILE  ");
  CHECK(faults_of(all).empty());
}

struct Wrong {
  int a = 0;
  static void describe(auto& f) {
    f.add("two words", &Wrong::a, "no name");
    f.add("a,xy", &Wrong::a, "no short name");
    f.add("b,c", &Wrong::a, at_least(1), "default out of range");
    f.add("b", &Wrong::a, "twice");
    f.add("d,c", &Wrong::a, "short twice");
  }
};

TEST_CASE("Options: each fault of a description is reported") {
  CHECK(faults_of(described_options<Wrong>()) ==
        std::vector<std::string>{
            "'two words' is no name of an option: letters, digits, _ and -, a letter first",
            "'xy' is no short name of --a: one letter",
            "the default of an option: --b must be at least 1, got 0",
            "--b is described twice",
            "-c is short for both --b and --d",
        });
}

struct WrongChoices {
  enum class Order { forward, backward, any };
  Order a = Order::any;
  Order b = Order::forward;
  Order c = Order::forward;
  static void describe(auto& f) {
    f.choice("a", &WrongChoices::a, {"forward", "backward"}, "no text of its default");
    f.choice("b", &WrongChoices::b, {"one", "two", "one"}, "a text twice");
    f.choice("c", &WrongChoices::c, {"one", "", "two"}, "a text that can't be given");
  }
};

TEST_CASE("Options: choices that are equal, or that lack the default, are reported") {
  CHECK(faults_of(described_options<WrongChoices>()) ==
        std::vector<std::string>{
            "the default of --a is beyond its choices: forward or backward",
            "a choice of --b is there twice",
            "a choice of --c is empty",
        });
}

TEST_CASE("Options: of main()'s arguments, for a program of one's own") {
  const char* const words[]{"program", "--n", "5"};
  CHECK(options_from<All>(3, words).n == 5);
}

}  // namespace kbsim::test::options_test
