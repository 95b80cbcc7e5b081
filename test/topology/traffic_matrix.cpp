#include "kbsim/topology/traffic_matrix.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::topology::test::traffic_matrix_test {
namespace {

TrafficCase with_matrix(const std::string& scope, const std::string& text, ToSelf to_self = ToSelf::random) {
  return traffic_case({}, {.scope = scope,
                           .pattern = "file:M.csv",
                           .matrix = std::make_shared<TrafficMatrix>(parse_traffic_matrix(text, "M.csv")),
                           .to_self = to_self});
}

TrafficCase with_self(const std::string& scope, const std::string& pattern, ToSelf to_self) {
  return traffic_case({}, {.scope = scope, .pattern = pattern, .to_self = to_self});
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string misread(const std::string& text) {
  return refusal_of([&] { (void)parse_traffic_matrix(text, "M.csv"); });
}

// The load of a link.
double load_of(const TrafficCase& traffic, const std::string& name) {
  for (std::uint32_t i = 0; i < traffic.loads.size(); ++i) {
    if (traffic.network.graph.link_name(LinkId{i}) == name) return traffic.loads[i];
  }
  FAIL("no link " << name);
  return 0.0;
}

}  // namespace

TEST_CASE("Matrix: numbers with commas, empty lines and those with # skipped, in lines of any ending") {
  const TrafficMatrix matrix = parse_traffic_matrix("# who\n0, 0.5\r\n\n1e-1,\t2\n", "M.csv");
  REQUIRE(matrix.rows.size() == 2);
  CHECK(matrix.rows[0].rates == std::vector<double>{0.0, 0.5});
  CHECK(matrix.rows[1].rates == std::vector<double>{0.1, 2.0});
  CHECK(matrix.rows[1].line == 4);
}

TEST_CASE("Matrix: what is no rate is refused with its line and column") {
  CHECK(misread("0,1\n0, x\n") == "M.csv:2:4: found 'x', expected a rate or a share from 0 to 1e+09");
  CHECK(misread("0,-1\n").starts_with("M.csv:1:3: found '-1'"));
  CHECK(misread("0,,1\n").starts_with("M.csv:1:3: found ''"));
  CHECK(misread("0,1,\n").starts_with("M.csv:1:5: found ''"));
  CHECK(misread("nan\n").starts_with("M.csv:1:1: found 'nan'"));
  CHECK(misread("1e10\n").starts_with("M.csv:1:1: found '1e10'"));
  CHECK(misread("0,1\n\n0,1,2\n") == "M.csv:3: 3 numbers, expected 2 as in the first row");
  CHECK(misread("# nothing\n") == "M.csv: no rows (expected a row of rates a source)");
}

TEST_CASE("Matrix: one that doesn't fit the scope is refused, and one without a sender") {
  CHECK(refusal_of([] { (void)with_matrix("mesh:2x1", "1,2,3\n"); }) ==
        "M.csv:1: 3 numbers, expected 2, one for each endpoint of the scope");
  CHECK(refusal_of([] { (void)with_matrix("mesh:2x1", "# r\n1,2\n"); }) ==
        "M.csv:2: 1 row, expected 2, one for each endpoint of the scope");
  CHECK(refusal_of([] { (void)with_matrix("mesh:2x1", "0,0\n0,0\n"); }).find("no endpoint sends") !=
        std::string::npos);
}

TEST_CASE("Matrix: rates are those of an average source, links carry their entries, and rows their shares") {
  const TrafficCase row = with_matrix("mesh:3x1", "0,0.1,0.3\n0,0,0.2\n0,0,0\n");
  CHECK(row.pattern.active == std::vector<std::size_t>{0, 1});
  CHECK(row.pattern.rate == doctest::Approx(0.3));
  CHECK(load_of(row, "r0_0>r0_1") * row.pattern.rate == doctest::Approx(0.4));
  CHECK(load_of(row, "r0_1>r0_2") * row.pattern.rate == doctest::Approx(0.5));
  CHECK(load_of(row, "r0_2>e0_2") * row.pattern.rate == doctest::Approx(0.5));
  CHECK(row.bound == doctest::Approx(0.3 / 0.5));
  Random random{1};
  int to_last = 0;
  for (int i = 0; i < 40'000; ++i) to_last += row.pattern.draw(0, 3, random) == 2 ? 1 : 0;
  CHECK(to_last == doctest::Approx(30'000).epsilon(0.02));
}

TEST_CASE("Matrix: of equal entries it is uniform, and of one permutation that permutation") {
  const TrafficCase all = with_matrix("mesh:2x2", "1,1,1,1\n1,1,1,1\n1,1,1,1\n1,1,1,1\n");
  const TrafficCase uniform = traffic_case({}, "mesh:2x2", "uniform");
  CHECK(all.bound == doctest::Approx(uniform.bound));
  for (std::size_t i = 0; i < all.loads.size(); ++i) CHECK(all.loads[i] == doctest::Approx(uniform.loads[i]));
  const TrafficCase next = with_matrix("mesh:2x2", "0,5,0,0\n5,0,0,0\n0,0,0,5\n0,0,5,0\n");
  CHECK(next.loads == traffic_case({}, "mesh:2x2", "neighbour").loads);
}

TEST_CASE("To itself: uniform has one n-th, or nothing; transpose the diagonal, or nothing") {
  const auto own = [](const TrafficCase& traffic) { return own_share(traffic.network, traffic.pattern); };
  CHECK(own(with_self("mesh:4x4", "uniform", ToSelf::random)) == doctest::Approx(1.0 / 16));
  const TrafficCase others = with_self("mesh:4x4", "uniform", ToSelf::none);
  CHECK(own(others) == 0.0);
  CHECK(others.bound ==
        doctest::Approx(1.0 * 15 / 16));  // of a row of 4, 8 sources send 8/15 over the middle
  CHECK(with_self("mesh:3x3", "transpose", ToSelf::random).pattern.active.size() == 6);
  const TrafficCase diagonal = with_self("mesh:3x3", "transpose", ToSelf::all);
  CHECK(diagonal.pattern.active.size() == 9);
  CHECK(own(diagonal) == doctest::Approx(3.0 / 9));
  CHECK(own(with_self("mesh:3x3", "hotspot:0.5", ToSelf::none)) == 0.0);
  CHECK(own(with_matrix("mesh:2x1", "1,1\n0,1\n", ToSelf::none)) == 0.0);
  CHECK(with_matrix("mesh:2x1", "1,1\n0,1\n").pattern.active.size() == 1);
  CHECK(with_matrix("mesh:2x1", "1,1\n0,1\n", ToSelf::all).pattern.active.size() == 2);
}

TEST_CASE("To itself: a source that draws only others draws each of them alike") {
  const TrafficCase mesh = with_self("mesh:3x3", "hotspot:0.5", ToSelf::none);
  Random random{1};
  for (const std::size_t source : {std::size_t{0}, std::size_t{4}, std::size_t{8}}) {
    std::vector<int> hits(9);
    for (int i = 0; i < 80'000; ++i) ++hits[mesh.pattern.draw(source, 9, random)];
    CHECK(hits[source] == 0);
    mesh.pattern.each_target(source, 9, [&](std::size_t sink, double share) {
      if (sink == 4 && source != 4) return;  // comes twice
      CHECK(hits[sink] == doctest::Approx(80'000 * share).epsilon(0.05));
    });
  }
}

TEST_CASE("To itself: what changes nothing is refused, and so is what is no such choice") {
  CHECK(refusal_of([] { (void)with_self("mesh:3x3", "transpose", ToSelf::none); }) ==
        "--to-self none: has no effect on transpose in this scope");
  CHECK(refusal_of([] { (void)with_self("link", "uniform", ToSelf::none); }) != "");
  CHECK(refusal_of([] { (void)with_self("mesh:3x3", "uniform", ToSelf::all); }) != "");
  CHECK(refusal_of([] { (void)with_self("mesh:1x1", "uniform", ToSelf::none); }).find("no endpoint sends") !=
        std::string::npos);
  CHECK(refusal_of([] { (void)to_self_named("nobody"); }).find("random, all or none") != std::string::npos);
}

TEST_CASE("Hotspot: at any node, by its index or by X,Y") {
  const auto node = [](const char* pattern) {
    return traffic_case({}, "mesh:4x3", pattern).pattern.favourite.front();
  };
  CHECK(node("all-to-one") == 6);
  CHECK(node("all-to-one:0") == 0);
  CHECK(node("all-to-one:11") == 11);
  CHECK(node("all-to-one:3,1") == 7);
  CHECK(node("hotspot:0.2:3,2") == 11);
  CHECK(node("hotspot:0.2:5") == 5);
  for (const char* wrong : {"all-to-one:12", "all-to-one:4,0", "all-to-one:0,3", "all-to-one:-1",
                            "all-to-one:", "hotspot:0.2:x", "all-to-one:1:2"})
    CHECK_THROWS_AS((void)node(wrong), UsageError);
  CHECK(refusal_of([&] { (void)node("all-to-one:12"); }) ==
        "--pattern all-to-one:12: expected a node of the scope after it, 0 to 11 or X,Y up to 3,2");
}

TEST_CASE("Traffic matrix: the mark that spreadsheets begin a file with is no number") {
  const TrafficMatrix matrix = parse_traffic_matrix(
      "\xef\xbb\xbf"
      "0,0.5\n0.25,0\n",
      "M.csv");
  REQUIRE(matrix.rows.size() == 2);
  CHECK(matrix.rows[0].rates == std::vector<double>{0.0, 0.5});
}

TEST_CASE("Endpoint links: rates of their own move the bound, and a bare link has none") {
  const auto bound = [](const char* scope, const char* pattern, double injection, double ejection) {
    return traffic_case({}, {.scope = scope,
                             .pattern = pattern,
                             .endpoints = {.injection = Bandwidth::gbs(injection),
                                           .ejection = Bandwidth::gbs(ejection)}})
        .bound;
  };
  CHECK(bound("mesh:4x4", "neighbour", 256, 256) == doctest::Approx(1.0));
  CHECK(bound("mesh:4x4", "neighbour", 64, 256) == doctest::Approx(0.25));
  CHECK(bound("mesh:4x4", "neighbour", 512, 128) == doctest::Approx(0.5));
  CHECK(bound("mesh:4x4", "all-to-one", 256, 512) == doctest::Approx(1.0 / 8));  // from two rows north of it
  CHECK(bound("sip0.cube0.noc", "all-to-one", 256, 1024) > bound("sip0.cube0.noc", "all-to-one", 256, 256));
  CHECK_THROWS_AS((void)bound("link", "uniform", 256, 256), UsageError);
}

}  // namespace kbsim::topology::test::traffic_matrix_test
