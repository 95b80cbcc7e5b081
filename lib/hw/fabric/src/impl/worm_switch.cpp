#include "worm_switch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbsim::hw {
namespace {

class WormSwitch final : public ISwitch {
 public:
  WormSwitch(SwitchPorts ports, const ArbiterModel& arbiter, const WormSwitchOptions& options)
      : ports_{ports},
        options_{options},
        lanes_{options.by_output ? ports.outputs() : 1},
        channels_ahead_{widest(ports)},
        queues_(std::size_t{ports.inputs()} * ports.channels() * lanes_),
        input_free_(std::size_t{ports.inputs()} * options.input_speedup),
        ahead_free_(std::size_t{ports.outputs()} * channels_ahead_),
        why_input_free_(input_free_.size()),
        why_ahead_free_(ahead_free_.size()),
        channels_{static_cast<std::uint32_t>(queues_.size()), ports.outputs() * channels_ahead_,
                  options.matching, options.iterations, arbiter},
        crossbar_{static_cast<std::uint32_t>(input_free_.size()), ports.outputs(), options.matching,
                  options.iterations, arbiter},
        chosen_(input_free_.size() * ports.outputs(), kNone),
        blocked_(ports.outputs()) {
    for (std::size_t i = 0; i < input_free_.size(); ++i) turns_.push_back(arbiter.make(1, ports_.channels()));
  }

  void push(Packet& packet) override {
    const std::uint32_t lane = lanes_ == 1 ? 0 : ports_.output(packet);
    const std::uint32_t channel = ports_.input(packet) * ports_.channels() + ports_.channel(packet);
    const std::uint32_t index = channel * lanes_ + lane;
    Queue& queue = queues_[index];
    packet.next = nullptr;
    if (queue.front == nullptr) occupied_.push_back(index);
    (queue.front == nullptr ? queue.front : queue.back->next) = &packet;
    queue.back = &packet;
  }

  [[nodiscard]] bool explains() const override { return true; }

  void allocate() override {
    if (occupied_.empty()) return;
    allocate_channels();
    allocate_crossbar();
    wake();
  }

 private:
  struct Queue {
    Packet* front = nullptr;
    Packet* back = nullptr;
    std::uint32_t left = 0;   // flits of the worm that holds a channel ahead; 0: there is none
    std::uint32_t ahead = 0;  // this channel, numbered over all outputs
    Time from{};              // when its first flit may ask for the crossbar, or for a channel if it has none
    Cause why_from{};         // why then, if causes are kept
  };

  static std::uint32_t widest(const SwitchPorts& ports) {
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < ports.outputs(); ++i) most = std::max(most, ports.channels_ahead(i));
    return most;
  }

  [[nodiscard]] std::uint32_t channel_of(std::uint32_t queue) const {
    return queue / lanes_ % ports_.channels();
  }
  [[nodiscard]] std::uint32_t input_of(std::uint32_t queue) const {
    const std::uint32_t port = queue / lanes_ / ports_.channels();
    return port * options_.input_speedup + channel_of(queue) % options_.input_speedup;
  }

  void allocate_channels() {
    for (const std::uint32_t i : occupied_) {
      if (queues_[i].left == 0 && queues_[i].from <= ports_.now()) ask_channels(i);
    }
    for (const Allocator::Request& match : channels_.match()) {
      queues_[match.user].left = ports_.worm_flits(*match.packet);
      queues_[match.user].ahead = match.output;
      queues_[match.user].from = ports_.now() + options_.lookahead;
      if (ports_.causes() != nullptr) [[unlikely]]
        explain_channel(queues_[match.user], match.output);
      ahead_free_[match.output] = kForever;
    }
    channels_.clear();
  }

  // The queue asked when its first flit had arrived and the worm before it had left. The channel was held by
  // another worm until then.
  void explain_channel(Queue& queue, std::uint32_t ahead) {
    Causes& causes = *ports_.causes();
    const NodeId node = ports_.node();
    Cause granted = ports_.why_came(*queue.front, options_.lookahead);
    granted = waited(causes, granted, queue.why_from, Reason::queue_head, node);
    granted = waited(causes, granted, why_ahead_free_[ahead], Reason::channel, node);
    if (granted.at() < ports_.now()) granted = waited(causes, granted, causes.current(), Reason::turn, node);
    queue.why_from = ports_.why_passed(granted, queue.from);
  }

  void ask_channels(std::uint32_t index) {
    for_choices(*queues_[index].front, [this, index](std::uint32_t ahead) {
      if (ahead_free_[ahead] > ports_.now()) return;
      channels_.request({.input = index, .output = ahead, .user = index, .packet = queues_[index].front});
    });
  }

  // Visits the channels ahead that a worm may take, numbered over all outputs.
  void for_choices(const Packet& packet, const auto& visit) const {
    const std::uint32_t output = ports_.output(packet);
    const std::uint32_t count = ports_.channels_ahead(output);
    const ChannelSet set = ports_.choices(packet);
    const std::uint32_t of_set = (count - set.first + set.stride - 1) / set.stride;
    if (set.flow) return visit(output * channels_ahead_ + set.first + *set.flow % of_set * set.stride);
    for (std::uint32_t vc = set.first; vc < count; vc += set.stride) visit(output * channels_ahead_ + vc);
  }

  void allocate_crossbar() {
    for (const std::uint32_t i : occupied_) ask_crossbar(i);
    for (const std::uint32_t pair : asked_) {
      const std::uint32_t queue = std::exchange(chosen_[pair], kNone);
      const std::uint32_t output = pair % ports_.outputs();
      blocked_[output] = false;
      crossbar_.request({.input = pair / ports_.outputs(),
                         .output = output,
                         .user = queue,
                         .packet = queues_[queue].front});
    }
    asked_.clear();
    note_blocked();
    for (const Allocator::Request& match : crossbar_.match()) send(match.user);
    crossbar_.clear();
    std::erase_if(occupied_, [this](std::uint32_t i) { return queues_[i].front == nullptr; });
  }

  // A link is blocked while its flits lack nothing but room ahead.
  void note_blocked() {
    for (std::uint32_t i = 0; i < blocked_.size(); ++i) {
      if (std::exchange(blocked_[i], char{false}))
        ports_.blocked(i);
      else
        ports_.unblocked(i);
    }
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] SwitchRequest in_turn(std::uint32_t queue) const {
    return {.port = 0, .channel = channel_of(queue), .packet = queues_[queue].front};
  }

  // Among the channels of an input that want an output, the one whose turn it is asks for it.
  void ask_crossbar(std::uint32_t index) {
    Queue& queue = queues_[index];
    if (queue.left == 0 || ready(index) > ports_.now()) return;
    const std::uint32_t output = queue.ahead / channels_ahead_;
    if (!ports_.has_room(*queue.front, queue.ahead % channels_ahead_)) {
      blocked_[output] = true;
      return;
    }
    const std::uint32_t input = input_of(index);
    const std::uint32_t pair = input * ports_.outputs() + output;
    std::uint32_t& best = chosen_[pair];
    if (best == kNone) asked_.push_back(pair);
    if (best == kNone || turns_[input]->before(in_turn(index), in_turn(best))) best = index;
  }

  void send(std::uint32_t index) {
    Queue& queue = queues_[index];
    Packet& flit = *queue.front;
    turns_[input_of(index)]->served(in_turn(index));
    queue.front = flit.next;
    const std::array<SwitchWait, 2> waits{
        {{.last = &queue.why_from, .reason = Reason::channel},
         {.last = &why_input_free_[input_of(index)], .reason = Reason::queue_head}}};
    const Time gone = ports_.send(flit, queue.ahead % channels_ahead_, waits);
    input_free_[input_of(index)] = gone;
    --queue.left;
    if (ports_.causes() != nullptr) [[unlikely]]
      explain_sent(index);
    if (queue.left > 0) return;
    queue.from = gone;
    ahead_free_[queue.ahead] = gone;
  }

  void explain_sent(std::uint32_t index) {
    Queue& queue = queues_[index];
    why_input_free_[input_of(index)] = ports_.why_left();
    if (queue.left == 0) queue.why_from = why_ahead_free_[queue.ahead] = ports_.why_left();
  }

  // When the first flit, its input and its output are ready, whether or not there is room. Its worm has a
  // channel.
  [[nodiscard]] Time ready(std::uint32_t index) const {
    const Queue& queue = queues_[index];
    const Time at =
        std::max({queue.from, input_free_[input_of(index)], ports_.free(queue.ahead / channels_ahead_)});
    return queue.front->ready <= at ? at : std::max(at, pipelined(*queue.front));
  }

  // A flit that needs no channel of its own catches up on time that it has lost, by a lookahead at most.
  [[nodiscard]] Time pipelined(const Packet& flit) const {
    return flit.ready - std::min(options_.lookahead, ports_.lag(flit));
  }

  void wake() {
    for (const std::uint32_t i : occupied_) wake(i);
  }

  // If only room is missing, the credit wakes the switch; if a channel is missing, the end of the worm that
  // holds it. A flit that could have gone and wasn't matched asks again a cycle later.
  void wake(std::uint32_t index) {
    const Queue& queue = queues_[index];
    const Time at = queue.left > 0 ? ready(index) : channel_free(queue);
    if (at == kForever) return;
    if (at > ports_.now()) return wake_at(at, queue);
    if (queue.left == 0 || ports_.has_room(*queue.front, queue.ahead % channels_ahead_))
      ports_.wake_next_cycle(ports_.now() + options_.cycle);
  }

  void wake_at(Time at, const Queue& queue) {
    if (ports_.causes() != nullptr) [[unlikely]]
      explain_wake(at, queue);
    ports_.wake(at);
  }

  // The cause is one of those whose time is `at`.
  void explain_wake(Time at, const Queue& queue) {
    const std::uint32_t output = ports_.output(*queue.front);
    const std::uint32_t input = input_of(static_cast<std::uint32_t>(&queue - queues_.data()));
    std::vector<Cause> all{queue.why_from, why_input_free_[input], ports_.why_free(output),
                           ports_.why_ready(*queue.front)};
    for_choices(*queue.front, [&](std::uint32_t ahead) { all.push_back(why_ahead_free_[ahead]); });
    const auto is_it = [at](const Cause& one) { return one && one.at() == at; };
    if (const auto found = std::ranges::find_if(all, is_it); found != all.end())
      ports_.causes()->because(*found);
  }

  // When the first flit may ask for a channel, and one of its choices is free.
  [[nodiscard]] Time channel_free(const Queue& queue) const {
    Time soonest = kForever;
    for_choices(*queue.front, [&](std::uint32_t ahead) { soonest = std::min(soonest, ahead_free_[ahead]); });
    return std::max(queue.from, soonest);
  }

  SwitchPorts ports_;
  WormSwitchOptions options_;
  std::uint32_t lanes_;                // queues of a channel
  std::uint32_t channels_ahead_;       // at the far end of an output, at most
  std::vector<Queue> queues_;          // port by port, channel by channel
  std::vector<Time> input_free_;       // of the crossbar
  std::vector<Time> ahead_free_;       // of channels ahead, output by output; kForever: a worm holds it
  std::vector<Cause> why_input_free_;  // if causes are kept
  std::vector<Cause> why_ahead_free_;
  std::vector<std::unique_ptr<IArbiter>> turns_;  // of crossbar inputs, among channels
  Allocator channels_;
  Allocator crossbar_;
  std::vector<std::uint32_t> occupied_;  // queues that have flits
  std::vector<std::uint32_t> chosen_;    // queue that asks, by crossbar input and output
  std::vector<std::uint32_t> asked_;     // pairs with such a queue
  std::vector<char> blocked_;            // by output
};

}  // namespace

std::unique_ptr<ISwitch> make_worm_switch(SwitchPorts ports, const ArbiterModel& arbiter,
                                          const WormSwitchOptions& options) {
  return std::make_unique<WormSwitch>(ports, arbiter, options);
}

}  // namespace kbsim::hw
