#include "kbsim/evaluate/noc_fit.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/evaluate/noc_errors.hpp"
#include "kbsim/evaluate/noc_report.hpp"

namespace kbsim::evaluate::noc_fit_test {

using hw::NocBarrier;

TEST_CASE("NOC errors: the half of a trace is the parity of its base name's FNV-1a hash") {
  CHECK_FALSE(is_fitted(""));  // 0xcbf29ce484222325
  CHECK(is_fitted("a"));       // 0xaf63dc4c8601ec8c
  CHECK_FALSE(is_fitted("foobar") != (0x85944171f73967e8ULL % 2 == 0));
  CHECK(is_fitted("foobar"));   // 0x85944171f73967e8
  CHECK_FALSE(is_fitted("b"));  // 0xaf63df4c8601f1a5
}

TEST_CASE("NOC errors: of measured time, of barriers behind reads alone") {
  const NocBarrier late{.measured = 200, .predicted = 230.0, .reads = true};
  CHECK(error_of(late) == doctest::Approx(0.15));
  CHECK(is_judged(late));
  CHECK_FALSE(is_judged({.measured = 200, .predicted = 230.0, .reads = false}));
  CHECK_FALSE(is_judged({.measured = 0, .predicted = 1.0, .reads = true}));
  const NocErrors errors = errors_of({0.3, 0.1, 0.2, 0.4});
  CHECK(errors.mean == doctest::Approx(0.25));
  CHECK(errors.median == 0.2);
  CHECK(errors.p95 == 0.4);
}

TEST_CASE("NOC errors: barriers count alike, and traces count alike") {
  const NocBarrier exact{.measured = 100, .predicted = 100.0, .reads = true};
  const NocBarrier off{.measured = 100, .predicted = 140.0, .reads = true};
  const NocMeans means = means_of({{"a", {exact, exact, exact}}, {"b", {off}}, {"none", {}}});
  CHECK(means.all.mean == doctest::Approx(0.1));
  CHECK(means.of_traces == doctest::Approx(0.2));
  CHECK(means.traces == 2);
}

TEST_CASE("NOC report: each half has its line, and the worst barrier its name") {
  const NocBarrier off{.node = 7, .measured = 100, .predicted = 140.0, .reads = true};
  const std::string table = noc_table({{"open loop", {{"a", {off}}, {"b", {off}}}}});
  CHECK(table.find("all barriers        fitted          1    40.0") != std::string::npos);
  CHECK(table.find("all barriers        judged          1    40.0") != std::string::npos);
  CHECK(table.find("worst (open loop): a, node 7") != std::string::npos);
}

TEST_CASE("NOC fit: a coordinate search finds the least of a bowl, within the constants' ranges") {
  const auto cost = [](const std::vector<double>& at) {
    return std::pow(at[0] - 13.0, 2) + std::pow(at[1] - 35.0, 2) + std::abs(at[3] - 205.0);
  };
  const NocFit fit = fit_noc(cost, 12);
  CHECK(fit.values[0] == doctest::Approx(13.0).epsilon(0.01));
  CHECK(fit.values[1] == doctest::Approx(35.0).epsilon(0.02));
  CHECK(fit.values[3] == doctest::Approx(205.0).epsilon(0.03));
  CHECK(fit_noc(cost, 12).values == fit.values);
  const NocFit low = fit_noc([](const std::vector<double>& at) { return at[0]; }, 12);
  CHECK(low.values[0] == 0.0);
  CHECK(fit_noc(cost, 0).values == noc_defaults());
}

TEST_CASE("NOC fit: the overrides give a file's constants these values") {
  std::vector<double> values = noc_defaults();
  values[0] = 12.5;
  const config::NocToriSpec spec = config::parse_noc("w: 4\n", "tori.yaml", noc_overrides(values));
  CHECK(spec.hop == Time{12'500});
  CHECK(spec.w == 4);
  CHECK(spec.niu == config::NocToriSpec{}.niu);
}

TEST_CASE("NOC file: mistakes have their places") {
  const auto error = [](const std::string& text) {
    try {
      (void)config::parse_noc(text, "tori.yaml");
    } catch (const ConfigError& error) {
      return std::string{error.what()};
    }
    return std::string{"none"};
  };
  CHECK(error("w: 4\nh: 4\ndram_nodes: [0-9]\n").find("tori.yaml:3:") == 0);
  CHECK(error("width: 4\n").find("tori.yaml:1:1") == 0);
  CHECK(error("ways: []\n").find("expected 1 to 8 NOCs") != std::string::npos);
}

}  // namespace kbsim::evaluate::noc_fit_test
