#include <cstdint>
#include <tuple>

#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {
namespace {

/// The packet that has been under way for longest, ties by port and channel: sources far from a link get as
/// much of it as near ones.
class OldestFirst final : public IArbiter {
 public:
  OldestFirst(std::uint32_t /*ports*/, std::uint32_t /*channels*/) {}

  [[nodiscard]] bool before(const SwitchRequest& a, const SwitchRequest& b) const override {
    return std::tuple{a.packet->injected, a.port, a.channel} <
           std::tuple{b.packet->injected, b.port, b.channel};
  }
  void served(const SwitchRequest& /*request*/) override {}
};

KBSIM_ARBITER("oldest_first", OldestFirst, "the packet that has been under way for longest");

}  // namespace
}  // namespace kbsim::hw
