#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/i_arbiter.hpp"

namespace kbsim::hw {
namespace {

/// Takes turns among ports, and at a port among its channels. After the port that was served last, the next
/// one that asks is served. So a port with more channels in use gets no more than its share.
class RoundRobin final : public IArbiter {
 public:
  RoundRobin(std::uint32_t ports, std::uint32_t channels)
      : ports_{ports}, channels_{channels}, channel_turn_(ports) {}

  [[nodiscard]] bool before(const SwitchRequest& a, const SwitchRequest& b) const override {
    if (a.port != b.port) return distance(a.port, port_turn_, ports_) < distance(b.port, port_turn_, ports_);
    const std::uint32_t turn = channel_turn_[a.port];
    return distance(a.channel, turn, channels_) < distance(b.channel, turn, channels_);
  }

  void served(const SwitchRequest& request) override {
    port_turn_ = (request.port + 1) % ports_;
    channel_turn_[request.port] = (request.channel + 1) % channels_;
  }

 private:
  [[nodiscard]] static std::uint32_t distance(std::uint32_t at, std::uint32_t turn, std::uint32_t count) {
    return at >= turn ? at - turn : at + count - turn;
  }

  std::uint32_t ports_;
  std::uint32_t channels_;
  std::uint32_t port_turn_ = 0;
  std::vector<std::uint32_t> channel_turn_;  // by port
};

KBSIM_ARBITER("round_robin", RoundRobin, "turns among ports, and at a port among its channels");

}  // namespace
}  // namespace kbsim::hw
