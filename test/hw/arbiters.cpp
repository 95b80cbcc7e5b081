// Order of service of each arbiter, and of one that only this file knows.
#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/message.hpp"

#include "routers.hpp"

namespace kbsim::hw::test::arbiters_test {
namespace {

std::unique_ptr<IArbiter> make(std::string_view name, std::uint32_t ports, std::uint32_t channels) {
  return arbiters().at(name).make(ports, channels);
}

/// The port with the largest number, and there the channel with the largest.
class LastPort final : public IArbiter {
 public:
  LastPort(std::uint32_t /*ports*/, std::uint32_t /*channels*/) {}
  [[nodiscard]] bool before(const SwitchRequest& a, const SwitchRequest& b) const override {
    return a.port != b.port ? a.port > b.port : a.channel > b.channel;
  }
  void served(const SwitchRequest& /*request*/) override { ++turns; }
  static inline int turns = 0;
};
KBSIM_ARBITER("test.last_port", LastPort, "the port with the largest number");

}  // namespace

TEST_CASE("Arbiters: of any two requests exactly one goes first") {
  Packet young{.injected = 9_ns};
  Packet old{.injected = 1_ns};
  for (const std::string& name : arbiters().names()) {
    CAPTURE(name);
    const auto arbiter = make(name, 4, 3);
    std::vector<SwitchRequest> requests;
    for (std::uint32_t port = 0; port < 4; ++port) {
      for (std::uint32_t channel = 0; channel < 3; ++channel)
        requests.push_back({port, channel, (port + channel) % 2 == 0 ? &young : &old});
    }
    for (const SwitchRequest& served : requests) {
      for (const SwitchRequest& a : requests) {
        for (const SwitchRequest& b : requests) {
          if (&a != &b) CHECK(arbiter->before(a, b) != arbiter->before(b, a));
        }
      }
      arbiter->served(served);
    }
  }
}

TEST_CASE("Round robin: the port after the one served last, and at a port the next channel") {
  const auto arbiter = make("round_robin", 3, 2);
  const auto order = [&](std::uint32_t a, std::uint32_t b) {
    return arbiter->before({.port = a}, {.port = b});
  };
  CHECK(order(0, 1));
  arbiter->served({.port = 1, .channel = 0});
  CHECK(order(2, 0));
  CHECK(order(0, 1));
  CHECK(arbiter->before({.port = 1, .channel = 1}, {.port = 1, .channel = 0}));
  CHECK(arbiter->before({.port = 2, .channel = 0}, {.port = 2, .channel = 1}));
  arbiter->served({.port = 1, .channel = 1});
  CHECK(arbiter->before({.port = 1, .channel = 0}, {.port = 1, .channel = 1}));
}

TEST_CASE("Oldest first: what left its source first, wherever it stands, then by port") {
  const auto arbiter = make("oldest_first", 3, 1);
  const Packet old{.injected = 1_ns};
  const Packet young{.injected = 2_ns};
  CHECK(arbiter->before({.port = 2, .packet = &old}, {.port = 0, .packet = &young}));
  arbiter->served({.port = 2, .packet = &old});
  CHECK(arbiter->before({.port = 2, .packet = &old}, {.port = 0, .packet = &young}));
  CHECK(arbiter->before({.port = 0, .packet = &old}, {.port = 2, .packet = &old}));
}

TEST_CASE("Arbiters: a file that registers one is enough to use it in a router") {
  for (const char* router : {"builtin.router_vc", "builtin.router_iq"}) {
    Rig rig{with_routers(with_sinks(small_machine()), router, {{"arbiter", std::string{"test.last_port"}}})};
    LastPort::turns = 0;
    const std::vector<Flow> flow{{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B}};
    CHECK(deliver(rig, flow).front() < kForever);
    CHECK(LastPort::turns > 0);
    CHECK_NOTHROW(rig.machine->fabric().audit());
  }
}

}  // namespace kbsim::hw::test::arbiters_test
