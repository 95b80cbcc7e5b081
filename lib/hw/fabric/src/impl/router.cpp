#include "kbsim/hw/fabric/forwarder.hpp"

namespace kbsim::hw {
namespace {

struct RouterSpec {
  Time overhead = 1_ns;
  static void describe(FieldList<RouterSpec>& f) {
    f.add("overhead_ns", &RouterSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
  }
};

/// Output-queued with unlimited buffers: each link is one FIFO server in the order of head arrival, ties by
/// input port.
using Router = Forwarder<RouterSpec>;
KBSIM_COMPONENT("builtin.router", NodeKind::router, Router, RouterSpec,
                "output-queued router with unlimited buffers");

}  // namespace
}  // namespace kbsim::hw
