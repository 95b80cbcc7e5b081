#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/validator.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

const std::vector<PeCoord> kLeaders{
    {.sip = 0, .cube = 0}, {.sip = 0, .cube = 1}, {.sip = 1, .cube = 0}, {.sip = 1, .cube = 1}};
const char* const kNeed = "one shard on each participating PE and none elsewhere";

config::MachineSpec machine_of_two_packages() {
  config::MachineSpec machine;
  machine.system.sips.count = 2;
  machine.sip.cube_mesh = {.w = 2, .h = 1};
  machine.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 1};
  return machine;
}

/// A validator's verdict on a tensor with a shard at each of `owners`; the participants are the leaders.
std::string verdict(const std::vector<PeCoord>& owners, const char* validator = "single_shard_per_rank") {
  std::vector<topology::ShardSpec> shards;
  for (const PeCoord& at : owners) shards.push_back({.at = at});
  return validators().at(validator).check(shards, kLeaders, machine_of_two_packages());
}

}  // namespace

TEST_CASE("single_shard_per_rank: one shard on each participant of one package is right, in any order") {
  CHECK(verdict({kLeaders[0], kLeaders[1]}).empty());
  CHECK(verdict({kLeaders[3], kLeaders[2]}).empty());
}

TEST_CASE("single_shard_per_rank: a missing, second or foreign shard is named as what is needed") {
  CHECK(verdict({kLeaders[0]}) == kNeed);
  CHECK(verdict({kLeaders[0], kLeaders[0], kLeaders[1]}) == kNeed);
  CHECK(verdict({kLeaders[0], kLeaders[1], {.pe = 1}}) == kNeed);
  CHECK(verdict({{.pe = 1}, {.cube = 1, .pe = 1}}) == kNeed);
  CHECK(verdict({kLeaders[0], kLeaders[3]}) == kNeed);
  CHECK(verdict({{.sip = 2}}) == kNeed);
}

TEST_CASE("single_shard_per_rank: a tensor without shards has nothing to reduce") {
  CHECK(verdict({}) == "a tensor with elements");
}

TEST_CASE("multi_pe_sip_local: a shard on every PE of one package, though only the leaders take part") {
  const auto says = [](const std::vector<PeCoord>& owners) { return verdict(owners, "multi_pe_sip_local"); };
  const char* const need = "one shard on every PE of the package";
  CHECK(says({{1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}).empty());
  CHECK(says({{1, 0, 0}, {1, 1, 0}}) == need);
  CHECK(says({{1, 0, 0}, {1, 0, 1}, {1, 1, 0}}) == need);
  CHECK(says({{1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {0, 1, 1}}) == need);
  CHECK(says({}) == "a tensor with elements");
}

TEST_CASE("Validators: an unknown one is a usage error with the nearest name") {
  CHECK_THROWS_WITH_AS((void)validators().at("single_shard_per_rang"),
                       "unknown validator 'single_shard_per_rang', did you mean 'single_shard_per_rank'?",
                       UsageError);
}
