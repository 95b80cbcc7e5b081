#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"
#include "kbsim/hw/memory/i_memory_model.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/hw/memory/i_plain_memory.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/hw/memory/port_service.hpp"
#include "kbsim/hw/memory/request_order.hpp"
#include "kbsim/hw/memory/watched_words.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {

class RaceWatch;

/// A memory at the fabric. Values are bound on arrival: a read returns what the memory holds at that time.
/// RequestOrder decides when a request is served, the timing model how long that takes. A write is
/// acknowledged, a slot write reported to its receiver, when its last byte is served. A wait for a signal is
/// answered when its word meets the condition, at once or after an atomic.
class Memory : public Component, public ILateReceiver, private IPlainMemory, private IMemoryModel {
 public:
  /// An unknown scheduler is a ConfigError.
  Memory(Fabric& fabric, NodeId id, std::unique_ptr<IMemoryTiming> timing, const std::string& scheduler);

  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  /// Latency of an uncontended access, from its arrival to its first byte.
  [[nodiscard]] Time latency(bool write) const { return timing_->port(write).latency; }
  /// The part of latency() that opens a row.
  [[nodiscard]] Time opening(bool write) const { return timing_->port(write).opening; }
  [[nodiscard]] Bandwidth read_rate() const { return timing_->port(false).rate; }
  [[nodiscard]] Bandwidth write_rate() const { return timing_->port(true).rate; }
  [[nodiscard]] std::vector<UnitUse> use() const override;
  [[nodiscard]] const IMemoryTiming& timing() const { return *timing_; }
  [[nodiscard]] bool takes_heads() const override { return true; }
  [[nodiscard]] ServiceContract contract() override;
  void accept_unobserved(const UnobservedPackets& packets) override { ports_.serve_unobserved(packets); }

  /// The present contents. A write changes them when its last packet arrives, which is an event.
  [[nodiscard]] oplog::MemoryImage& image() {
    fabric().flush_contents();
    return image_;
  }

 protected:
  /// Packets of data are taken at their heads.
  void accept(Packet& packet) override { arrivals_.hand(&packet); }

  /// As IRepeatable, for memories that keep no state beside this one's.
  void visit_memory(RepeatVisitor& visitor);

  [[nodiscard]] PortService& ports() { return ports_; }
  [[nodiscard]] RequestOrder& requests() { return requests_; }
  [[nodiscard]] bool puts_off() override { return false; }
  [[nodiscard]] std::int64_t address_of(const Message& message) const override;
  void finished(MessagePtr message, Time at) override;

 private:
  [[nodiscard]] Lane& lane(bool write) override { return *timing_->lane(write); }
  [[nodiscard]] Time time_to(bool write) const override { return latency(write); }
  [[nodiscard]] oplog::Slices holds(std::int64_t address, Bytes bytes) const override {
    return image_.read(address, bytes.count());
  }
  void keep_causes(Causes& causes);
  void write(Packet& packet);
  void keep(const Message& message);
  void perform(const Message& request);
  void answer(const ReadRequest& read);
  void answer(const SignalRequest& met);
  void perform(const AtomicRequest& request);
  void report(Time at, NodeId to, TrafficClass traffic_class, MessageBody body, std::uint32_t origin);
  Task<> take_and_pick();
  Task<> finish_writes();

  std::unique_ptr<IMemoryTiming> timing_;
  oplog::MemoryImage image_;
  Handoff<Packet*> arrivals_;
  Mailbox<Message*> served_;
  PortService ports_;
  RequestOrder requests_;
  WatchedWords watched_{image_};
  oplog::OpLog* log_ = nullptr;
  RaceWatch* races_ = nullptr;
};

}  // namespace kbsim::hw
