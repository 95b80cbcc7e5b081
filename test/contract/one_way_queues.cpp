// Queues of one direction, by the command.
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::one_way_queues_test {

using namespace kbsim::test;

TEST_CASE("checklist 15: a queue of one direction says so in the dump of queues") {
  const Outcome outcome = run_kbsim(kMainJob +
                                    " --algorithm ring_allreduce_tcm --dump-queues "
                                    "--set ccl.algorithms.ring_allreduce_tcm.topology=ring_1d_unidir");
  CAPTURE(outcome.out);
  CAPTURE(outcome.err);
  const std::string all = outcome.out + outcome.err;
  CHECK(outcome.exit == 0);
  CHECK(all.find(" sends only peer sip1.cube0.pe0 W sip1.cube0.pe0 ipcq+0x0") != std::string::npos);
  CHECK(all.find(" receives only ring sip0.cube0.pe0 ipcq+0x0 peer sip1.cube0.pe0 E") != std::string::npos);
}

}  // namespace kbsim::contract::one_way_queues_test
