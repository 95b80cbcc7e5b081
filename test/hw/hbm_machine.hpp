#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"

namespace kbsim::hw {

/// Reads and writes one slice, in place of the only PE's DMA, and records the times of the answers.
class SliceUser : public Component {
 public:
  SliceUser(Machine& machine, NodeId slice)
      : Component{machine.fabric(), machine.graph().pe({.sip = 0, .cube = 0, .pe = 0}).dma}, slice_{slice} {
    start(machine);
  }

  void read(std::int64_t address, Bytes n) {
    send_message(slice_, 16_B, TrafficClass::request,
                 ReadRequest{.address = address, .bytes = n, .reply_to = id(), .token = ++asked_});
  }
  void write(std::int64_t address, Bytes n, oplog::ValueId value = {}) {
    const oplog::Slice contents{.value = value, .offset = 0, .bytes = n.count()};
    send_message(slice_, n, TrafficClass::request,
                 WriteData{.address = address, .contents = contents, .reply_to = id(), .token = ++asked_});
  }
  [[nodiscard]] const std::vector<Time>& answered() const { return answered_; }

  /// In order of arrival. Tokens count the accesses from 1; a write has no contents.
  struct Answer {
    Token token = 0;
    Time at{};
    oplog::Slices contents;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }

 private:
  [[nodiscard]] Task<> run() override {
    for (;;) {
      const MessagePtr message = co_await in().receive();
      note(*message);
    }
  }
  void note(const Message& message) {
    if (const auto* data = message.body.get_if<ReadData>()) {
      Bytes n;
      for (const oplog::Slice& slice : data->contents) n += Bytes{slice.bytes};
      ensure(n == message.size, "a read gives as many bytes as were asked for");
      answers_.push_back({.token = data->token, .at = sim().now(), .contents = data->contents});
    } else {
      answers_.push_back({.token = message.body.get<WriteAck>().token, .at = sim().now(), .contents = {}});
    }
    answered_.push_back(sim().now());
  }

  NodeId slice_;
  Token asked_ = 0;
  std::vector<Time> answered_;
  std::vector<Answer> answers_;
};

/// A machine of one PE and one HBM slice of this model, and its user.
class SliceMachine {
 public:
  explicit SliceMachine(const std::string& impl, std::map<std::string, Scalar> attrs = {})
      : graph_{topology::compile(spec(impl, std::move(attrs)))} {}

  [[nodiscard]] NodeId slice() const { return graph_.cube(0, 0).hbm.front(); }
  [[nodiscard]] SliceUser& user() { return user_; }
  [[nodiscard]] Machine& machine() { return machine_; }

  /// Runs until all accesses are answered; returns the time of the last answer.
  Time run() {
    sim_.run();
    return user_.answered().back();
  }

 private:
  static std::shared_ptr<const config::MachineSpec> spec(const std::string& impl,
                                                         std::map<std::string, Scalar> attrs) {
    auto spec = std::make_shared<config::MachineSpec>();
    spec->system.sips.count = 1;
    spec->sip.cube_mesh = {.w = 1, .h = 1};
    spec->cube.noc.w = spec->cube.noc.h = 1;
    spec->cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = 1};
    spec->cube.hbm_ctrl = {.impl = impl, .attrs = std::move(attrs), .at = {.file = "t.yaml", .line = 7}};
    return spec;
  }

  topology::Graph graph_;
  oplog::OpLog log_;
  Simulation sim_;
  Machine machine_{sim_, graph_, log_};
  SliceUser user_{machine_, slice()};
};

}  // namespace kbsim::hw
