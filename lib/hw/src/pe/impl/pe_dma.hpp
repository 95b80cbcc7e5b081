#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

struct PeDmaSpec {
  int max_outstanding = 16;
  Bytes vc_chunk{256};
  Bytes request{4096};
  static void describe(auto& f) {
    f.add("max_outstanding", &PeDmaSpec::max_outstanding, at_least(1),
          "requests of request_bytes in flight on a virtual channel; smaller ones count by their bytes");
    f.add("vc_chunk_size", &PeDmaSpec::vc_chunk, at_least(1),
          "bytes before the next virtual channel has its turn");
    f.add("request_bytes", &PeDmaSpec::request, at_least(1), "largest read request or write burst");
  }
};

/// Moves data between the PE's TCM and any memory. A transfer leaves in requests of at most `request`
/// bytes, and these in packets; each virtual channel keeps at most `max_outstanding` requests in flight, of
/// which a smaller one is a part, in lines of 256 B; the channels take turns every `vc_chunk` bytes, queue
/// traffic as its QueueSet says. So a flow whose answers take `loop` to come back has at most
/// max_outstanding * request / loop. A load is done when its last
/// byte is in TCM, a store when the memory has acknowledged, a slot write when the last byte has left TCM; a
/// slot is free when it is fetched.
/// An atomic leaves in requests of one packet each and is done, as a load, when what it replaced is in TCM.
/// A wait for a signal takes none of max_outstanding: what it waits for may have to leave here.
class PeDma : public Component, public IDma {
 public:
  PeDma(Fabric& fabric, NodeId id, PeDmaSpec spec);

  void start(Machine& machine) override;

  void submit(Time at, DmaCommand command) override { work_.post(at, std::move(command)); }
  void loaded(Time at, Token token, oplog::Slices contents) override;

 private:
  // A transfer under way.
  struct Job {
    DmaCommand command;
    Time start;
    VirtualChannel channel;
    RaceWatch::Token race;
    std::vector<Piece> pieces;
    std::size_t next = 0;   // piece to be asked for or sent, perhaps in part
    int requests_left = 0;  // not yet answered
    void advance(Bytes n);
    [[nodiscard]] bool all_sent() const { return next == pieces.size(); }
    std::map<std::int64_t, oplog::Slices> parts;  // of a load, by offset
  };
  // A request of a job, until it is answered.
  struct Request {
    std::shared_ptr<Job> job;
    std::int64_t offset = 0;
    Bytes window;  // what it takes of it
  };
  // A message whose packets are leaving one by one.
  struct Burst {
    Message* message = nullptr;
    Bytes left{};
  };
  struct Channel {
    std::deque<std::shared_ptr<Job>> jobs;
    Burst burst;
    Bytes outstanding;  // of the window
    bool busy() const { return !jobs.empty(); }
  };
  struct Answer {
    Token token = 0;
    oplog::Slices contents;
  };
  struct Sent {
    std::shared_ptr<Job> job;
  };
  struct PortFree {};
  using Work = std::variant<DmaCommand, Answer, Sent, PortFree>;

  Task<> run();
  void take(std::vector<Work>& work);
  void begin(DmaCommand command);
  void answered(const Answer& answer);
  void accept(MessagePtr message) override;

  [[nodiscard]] Channel* next_channel();
  [[nodiscard]] bool may_send(const Channel& channel) const;
  [[nodiscard]] Bytes turn_of(const Channel& channel) const;
  Time send_next(Channel& channel);
  Time request_load(Channel& channel);
  Time request_atomic(Channel& channel);
  Time request_signal(Channel& channel);
  Time send_chunk(Channel& channel);
  void open_burst(Channel& channel);
  void finish(Job& job);
  void record(const DmaCommand& command, Time start, oplog::Operand moved);
  [[nodiscard]] oplog::Operand loaded(const Job& job);

  [[nodiscard]] Bytes request_size(const Job& job) const;
  [[nodiscard]] Bytes window_of(Bytes request) const;
  Token remember(Request request);

  PeDmaSpec spec_;
  ITcm* tcm_ = nullptr;
  NodeId tcm_node_;
  oplog::OpLog* log_ = nullptr;
  RaceWatch* races_ = nullptr;
  Bandwidth port_;
  Time port_free_{};
  Mailbox<Work> work_;
  std::array<Channel, kVirtualChannels> channels_;
  std::size_t turn_ = 0;
  Bytes turn_left_;
  std::map<Token, Request> requests_;
  Token next_token_ = 0;
};

}  // namespace kbsim::hw
