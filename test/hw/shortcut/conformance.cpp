// The suite for models that promise something about their service.
#include "kbsim/hw/conformance/conformance.hpp"

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/memory/port_timing.hpp"

#include "../harness.hpp"

namespace kbsim::hw::test::conformance_test {
namespace {

struct Spec {
  static void describe(FieldList<Spec>&) {}
};

// An SRAM that promises to serve packets late, as Memory does.
class Honest : public Memory {
 public:
  Honest(Fabric& fabric, NodeId id, Spec)
      : Memory{fabric, id, std::make_unique<PortTiming>(4_ns, Bandwidth::gbs(16.0)), "in_order"} {}
};
KBSIM_COMPONENT("test.keeps_its_promise", NodeKind::sram, Honest, Spec, "memory that keeps its promise");

// It promises the same, and serves the packets that it needn't observe twice.
class Liar final : public Honest {
 public:
  using Honest::Honest;
  void accept_unobserved(const UnobservedPackets& packets) override {
    Honest::accept_unobserved(packets);
    Honest::accept_unobserved(packets);
  }
};
KBSIM_COMPONENT("test.breaks_its_promise", NodeKind::sram, Liar, Spec, "memory that breaks its promise");

std::shared_ptr<const config::MachineSpec> machine_with(const std::string& sram) {
  config::MachineSpec spec = small_machine();
  spec.cube.sram.impl = sram;
  return std::make_shared<const config::MachineSpec>(spec);
}

// Two writes of the host to the SRAM of the first cube.
std::vector<Time> write_twice(Machine& machine) {
  std::vector<Time> ends;
  const auto write = [](Machine* at, NodeId sram, std::vector<Time>* done) -> Task<> {
    for (const std::int64_t bytes : {20'000, 3'000}) {
      co_await host_of(*at).write(0, sram, 0, {.value = {}, .offset = 0, .bytes = bytes});
      done->push_back(at->sim().now());
    }
  };
  (void)machine.sim().spawn("writes", write(&machine, machine.graph().cube(0, 0).sram, &ends));
  machine.run();
  return ends;
}

}  // namespace

TEST_CASE("Conformance: a memory that keeps its promise has the same times with fewer events") {
  CHECK(check_conformance(machine_with("test.keeps_its_promise"), write_twice) > 100);
}

TEST_CASE("Conformance: a memory that breaks its promise is found") {
  CHECK_THROWS_WITH_AS((void)check_conformance(machine_with("test.breaks_its_promise"), write_twice),
                       doctest::Contains("the shortcut changes"), InternalError);
}

}  // namespace kbsim::hw::test::conformance_test
