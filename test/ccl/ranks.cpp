// Ranks that are PEs: their allowed numbers, and the place of each.
#include "kbsim/ccl/ranks.hpp"

#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "plans.hpp"

namespace kbsim::ccl::test::ranks_test {
namespace {

constexpr int kPes = 8;       // of a cube
constexpr int kPackage = 16;  // PEs of a package of two cubes
constexpr int kAll = 48;      // of three packages

std::vector<PeCoord> placed(int ranks) {
  config::AlgorithmSpec spec = algorithm("ring_1d", "leader_only");
  spec.world_size = ranks;
  return participants_of(spec, machine(3, 2, 1));
}

std::string refusal(int ranks) {
  try {
    (void)placed(ranks);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("PEs as ranks: of several cubes all PEs, of several packages all cubes; others are refused") {
  for (int ranks = 1; ranks <= kAll + kPackage; ++ranks) {
    CAPTURE(ranks);
    const std::string why = refusal(ranks);
    if (ranks > kAll) {
      CHECK(why.ends_with("its ranks are PEs, and there are 48 PEs"));
    } else if (ranks > kPes && ranks % kPes != 0) {
      CHECK(why.ends_with("its ranks are PEs, of whole cubes, which have 8 each"));
    } else if (ranks > kPackage && ranks % kPackage != 0) {
      CHECK(why.ends_with("its ranks are PEs, of whole packages, which have 16 each"));
    } else {
      CHECK(why.empty());
    }
  }
}

TEST_CASE("PEs as ranks: rank after rank fills a cube, then the package's next cube, then the next package") {
  for (const int ranks : {1, 5, kPes, kPackage, 2 * kPackage, kAll}) {
    const std::vector<PeCoord> all = placed(ranks);
    REQUIRE(std::ssize(all) == ranks);
    int rank = 0;
    for (const PeCoord& at : all) {
      CHECK(at.sip * kPackage + at.cube * kPes + at.pe == rank++);
      CHECK(at.cube < 2);
      CHECK(at.pe < kPes);
    }
  }
}

}  // namespace kbsim::ccl::test::ranks_test
