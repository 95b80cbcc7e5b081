#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/validator.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

const std::vector<PeCoord> kLeaders{
    {.sip = 0, .cube = 0}, {.sip = 0, .cube = 1}, {.sip = 1, .cube = 0}, {.sip = 1, .cube = 1}};
const char* const kNeed = "one shard on each participating PE and none elsewhere";

/// What single_shard_per_rank says of a tensor with a shard at each of these.
std::string verdict(const std::vector<PeCoord>& owners) {
  std::vector<topology::ShardSpec> shards;
  for (const PeCoord& at : owners) shards.push_back({.at = at});
  return validators().at("single_shard_per_rank").check(shards, kLeaders);
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

TEST_CASE("Validators: an unknown one is a usage error with the nearest name") {
  CHECK_THROWS_WITH_AS((void)validators().at("single_shard_per_rang"),
                       "unknown validator 'single_shard_per_rang', did you mean 'single_shard_per_rank'?",
                       UsageError);
}
