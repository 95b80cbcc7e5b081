#include "kbsim/evaluate/noc_fit.hpp"

#include <cmath>

#include <doctest/doctest.h>

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

TEST_CASE("NOC errors: of measured time, of barriers after reads alone") {
  const NocBarrier late{.measured = 200, .predicted = 230.0, .reads = true};
  CHECK(error_of(late) == doctest::Approx(0.15));
  CHECK(is_judged(late));
  CHECK_FALSE(is_judged({.measured = 200, .predicted = 230.0, .reads = false}));
  CHECK_FALSE(is_judged({.measured = 0, .predicted = 1.0, .reads = true}));
  Quantiles all;
  for (const double error : {0.3, 0.1, 0.2, 0.4}) all.add(error);
  const NocErrors errors = errors_of(all);
  CHECK(errors.mean == doctest::Approx(0.25));
  CHECK(errors.median == 0.2);
  CHECK(errors.p95 == 0.4);
  CHECK(errors.worst == 0.4);
  CHECK(errors_of(Quantiles{}).barriers == 0);
}

namespace {

void add(NocColumn& column, const std::string& trace, const std::vector<NocBarrier>& barriers) {
  column.add(trace, [&](const hw::NocBarrierSink& ended) {
    for (const NocBarrier& barrier : barriers) ended(barrier);
  });
}

}  // namespace

TEST_CASE("NOC errors: barriers count alike, and traces count alike") {
  const NocBarrier exact{.measured = 100, .predicted = 100.0, .reads = true};
  const NocBarrier off{.measured = 100, .predicted = 140.0, .reads = true};
  NocColumn column{"open loop"};
  add(column, "a", {exact, exact, exact});
  add(column, "foobar", {off});
  add(column, "b", {off});  // of the other half
  add(column, "c", {{.measured = 100, .predicted = 140.0, .reads = false}});
  const NocHalf& fitted = column.half(true);
  CHECK(fitted.all().mean == doctest::Approx(0.1));
  CHECK(fitted.mean_of_traces() == doctest::Approx(0.2));
  CHECK(fitted.traces() == 2);
  CHECK(column.half(false).all().barriers == 1);
  REQUIRE(column.traces().size() == 4);
  CHECK(column.traces()[3].errors.barriers == 0);
}

TEST_CASE("NOC report: each half has its line, and the worst barrier its name") {
  const NocBarrier off{.node = 7, .measured = 100, .predicted = 140.0, .reads = true};
  std::vector<NocColumn> columns{NocColumn{"open loop"}};
  add(columns[0], "a", {off});
  add(columns[0], "b", {off});
  const std::string table = noc_table(columns);
  CHECK(table.find("all barriers        fitted          1    40.0") != std::string::npos);
  CHECK(table.find("all barriers        judged          1    40.0") != std::string::npos);
  CHECK(table.find("worst (open loop): a, node 7") != std::string::npos);
  CHECK(noc_json(columns).at("open loop").at("worst").at("trace") == "a");
  CHECK(noc_scatter_csv(columns[0]) == "half,measured,predicted\nfitted,100,140.000\njudged,100,140.000\n");
  CHECK(noc_scatter_script(columns[0], "s").find("title \"judged\"") != std::string::npos);
  NocColumn alone{"open loop"};
  add(alone, "a", {off});
  CHECK(noc_scatter_script(alone, "s").find("title \"fitted\"") != std::string::npos);
  CHECK(noc_scatter_script(alone, "s").find("judged") == std::string::npos);
}

TEST_CASE("NOC column: what is kept of barriers doesn't grow with them") {
  const auto kept_of = [](int barriers) {
    NocColumn column{"open loop"};
    column.add("a", [&](const hw::NocBarrierSink& ended) {
      for (int i = 0; i < barriers; ++i)
        ended({.first = i, .measured = 100, .predicted = 100.0 + i % 50, .reads = true});
    });
    CHECK(column.half(true).all().barriers == static_cast<std::uint64_t>(barriers));
    CHECK(column.half(true).all().median == doctest::Approx(0.24).epsilon(0.001));
    CHECK(column.half(true).all().worst == doctest::Approx(0.49));
    CHECK(column.points().size() <= NocColumn::kMostPoints);
    return column.kept();
  };
  const std::size_t most = Quantiles::kExact + NocColumn::kMostPoints;
  CHECK(kept_of(1'000) == 2'000);
  CHECK(kept_of(200'000) <= most);
  CHECK(kept_of(400'000) <= most);
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
