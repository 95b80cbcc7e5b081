#include "worm_source.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kbsim::hw {
namespace {

class WormSource final : public ISwitch {
 public:
  WormSource(SwitchPorts ports, const ArbiterModel& arbiter) : ports_{ports} {
    for (std::uint32_t i = 0; i < ports_.outputs(); ++i) {
      outputs_.push_back({.arbiter = arbiter.make(1, ports_.channels()),
                          .lines = std::vector<Line>(ports_.channels()),
                          .held = std::vector<bool>(ports_.channels_ahead(i))});
    }
  }

  void push(Packet& packet) override {
    Worm& worm = worm_of(outputs_[ports_.output(packet)].lines[ports_.channel(packet)], packet);
    packet.next = nullptr;
    (worm.front == nullptr ? worm.front : worm.back->next) = &packet;
    worm.back = &packet;
  }

  [[nodiscard]] bool explains() const override { return true; }

  void allocate() override {
    for (std::uint32_t i = 0; i < outputs_.size(); ++i) serve(i);
  }

 private:
  struct Worm {
    const Message* message;
    std::uint32_t number;
    std::uint32_t to_come;                                // flits that aren't here yet
    std::uint32_t left;                                   // flits that haven't left
    std::optional<std::uint32_t> channel = std::nullopt;  // ahead, once it has one
    Packet* front = nullptr;
    Packet* back = nullptr;
  };
  struct Line {
    int incomplete = 0;           // worms with flits yet to arrive
    std::deque<Worm> worms = {};  // worms that have a channel come first
    std::uint32_t turn = 0;       // the channel to be tried first
  };
  struct Output {
    std::unique_ptr<IArbiter> arbiter;  // among lines
    std::vector<Line> lines;            // by class
    std::vector<bool> held;             // by channel ahead
  };

  // Most worms arrive whole, one after the other.
  Worm& worm_of(Line& line, const Packet& packet) const {
    Worm* const known = line.incomplete == 0 ? nullptr : find(line, packet);
    Worm& worm = known == nullptr ? begin(line, packet) : *known;
    if (--worm.to_come == 0) --line.incomplete;
    return worm;
  }
  Worm* find(Line& line, const Packet& packet) const {
    const auto found = std::find_if(line.worms.rbegin(), line.worms.rend(),
                                    [&, number = ports_.worm(packet)](const Worm& worm) {
                                      return worm.message == packet.message && worm.number == number;
                                    });
    return found == line.worms.rend() ? nullptr : &*found;
  }
  Worm& begin(Line& line, const Packet& packet) const {
    const std::uint32_t flits = ports_.worm_flits(packet);
    ++line.incomplete;
    return line.worms.emplace_back(packet.message, ports_.worm(packet), flits, flits);
  }

  void serve(std::uint32_t index) {
    Output& output = outputs_[index];
    if (std::ranges::all_of(output.lines, [](const Line& line) { return line.worms.empty(); })) return;
    if (ports_.free(index) <= ports_.now()) choose(index, output);
    if (ports_.free(index) > ports_.now()) ports_.wake(ports_.free(index));
  }

  void choose(std::uint32_t index, Output& output) {
    std::optional<SwitchRequest> best;
    bool lacks_room = false;
    for (std::uint32_t i = 0; i < output.lines.size(); ++i) {
      const auto worm = first(output.lines[i]);
      if (worm == output.lines[i].worms.end()) continue;
      if (worm->front->ready > ports_.now()) {
        ports_.wake(worm->front->ready);
        continue;
      }
      const SwitchRequest request{.port = 0, .channel = i, .packet = worm->front};
      if (!channel(output, output.lines[i], *worm)) {
        lacks_room = true;
      } else if (!best || output.arbiter->before(request, *best)) {
        best = request;
      }
    }
    if (best) return send(output, *best);
    if (lacks_room) ports_.blocked(index);
  }

  // The first worm that has a flit here.
  static std::deque<Worm>::iterator first(Line& line) {
    return std::ranges::find_if(line.worms, [](const Worm& worm) { return worm.front != nullptr; });
  }

  // The channel of the worm, or the one that it would take: the next in turn that has room and that no worm
  // holds.
  std::optional<std::uint32_t> channel(const Output& output, const Line& line, const Worm& worm) {
    const Packet& packet = *worm.front;
    if (!ports_.takes_worms(ports_.output(packet))) return ports_.room_ahead(packet);
    if (worm.channel) return ports_.has_room(packet, *worm.channel) ? worm.channel : std::nullopt;
    const ChannelSet set = ports_.choices(packet);
    const auto vcs = static_cast<std::uint32_t>(output.held.size());
    const std::uint32_t count = (vcs - set.first + set.stride - 1) / set.stride;
    const std::uint32_t turn = set.flow ? *set.flow : line.turn;
    for (std::uint32_t i = 0; i < (set.flow ? 1 : count); ++i) {
      const std::uint32_t vc = set.first + (turn + i) % count * set.stride;
      if (!output.held[vc] && ports_.has_room(packet, vc)) return vc;
    }
    return std::nullopt;
  }

  void send(Output& output, const SwitchRequest& request) {
    Line& line = output.lines[request.channel];
    const auto worm = first(line);
    Packet& packet = *worm->front;
    const ChannelSet set = ports_.choices(packet);
    const std::uint32_t ahead = *channel(output, line, *worm);
    output.arbiter->served(request);
    line.turn = (ahead - set.first) / set.stride + 1;
    worm->channel = ahead;
    worm->front = packet.next;
    output.held[ahead] = --worm->left > 0;
    if (!output.held[ahead]) line.worms.erase(worm);
    (void)ports_.send(packet, ahead);
  }

  SwitchPorts ports_;
  std::vector<Output> outputs_;
};

}  // namespace

std::unique_ptr<ISwitch> make_worm_source(SwitchPorts ports, const ArbiterModel& arbiter) {
  return std::make_unique<WormSource>(ports, arbiter);
}

}  // namespace kbsim::hw
