#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::any_machine_test {

using namespace kbsim::test;

TEST_CASE("Any machine: an element larger than a slot is refused") {
  const Outcome outcome = run_kbsim(kMainJob + " --set ccl.defaults.slot_size=1");
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(outcome.err.find("an element of f16 does not fit a slot of 1 B") != std::string::npos,
                outcome.err);
}

TEST_CASE("Any machine: a kernel that uses a queue that isn't installed exits 8 with its place") {
  const Outcome outcome =
      run_kbsim(kMainJob + " --algorithm tree_allreduce --set ccl.algorithms.tree_allreduce.topology=none");
  CHECK(outcome.exit == 8);
  CHECK(outcome.err.find("tree_allreduce.cpp:") != std::string::npos);
  CHECK(outcome.err.find("installed: none: queues come with the topology of an algorithm\n") !=
        std::string::npos);
}

}  // namespace kbsim::contract::any_machine_test
