#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/reserved.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/hw/memory/i_plain_memory.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {

struct AtomicService;
struct ControlledRequest;
class ControlledRequests;
class MemoryCauses;
class RaceWatch;
struct ReadService;
class RequestQueue;
struct WriteService;

/// A memory at the fabric. Values are bound on arrival: a read returns what the memory holds at that time.
/// The scheduler decides when a request is served, the timing model how long that takes. A read's data leaves
/// as packets while served; a write is acknowledged, a slot write reported to its receiver, when its last
/// byte is served. An atomic is a read, then a write of the same bytes. A wait for a signal costs nothing; it
/// is answered when its word meets the condition, at once or after an atomic.
class Memory : public Component, public ILateReceiver, private IPlainMemory {
 public:
  /// An unknown scheduler is a ConfigError.
  Memory(Fabric& fabric, NodeId id, std::unique_ptr<IMemoryTiming> timing, const std::string& scheduler);
  ~Memory() override;

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
  void accept_unobserved(const UnobservedPackets& packets) override;

  /// The present contents. A write changes them when its last packet arrives, which is an event.
  [[nodiscard]] oplog::MemoryImage& image() {
    fabric().flush_contents();
    return image_;
  }

 protected:
  /// Packets of data are taken at their heads.
  void accept(Packet& packet) override { arrivals_.hand(&packet); }

  /// Serves a request that arrives without a packet.
  Lane::Slot serve(const MemoryRequest& request);
  /// Another unit reads here without packets and goes first at each time. While puts_off(), reads and all
  /// requests after them wait for serve_put_off().
  void share_ports() { shares_ports_ = true; }
  [[nodiscard]] virtual bool puts_off() { return false; }
  void serve_put_off();
  /// Address of the first byte that a message writes here.
  [[nodiscard]] virtual std::int64_t address_of(const Message& message) const;
  /// A message with data for this memory is served at `at`, now or later.
  virtual void finished(MessagePtr message, Time at);

 private:
  [[nodiscard]] Lane& lane(bool write) override { return *timing_->lane(write); }
  [[nodiscard]] Time time_to(bool write) const override { return latency(write); }
  [[nodiscard]] oplog::Slices holds(std::int64_t address, Bytes bytes) const override {
    return image_.read(address, bytes.count());
  }
  void write(Packet& packet);
  void perform(const Message& request);
  void answer(const ReadRequest& read);
  void answer(const SignalRequest& met);
  void report(Time at, NodeId to, TrafficClass traffic_class, MessageBody body, std::uint32_t origin);
  void perform(const AtomicRequest& request);
  void watch(const SignalRequest& request);
  void look_again(std::int64_t address, Bytes changed);
  [[nodiscard]] bool met(const SignalRequest& request) const;
  void keep(const Message& message);
  void announce(const AtomicService& atomic);
  template <class Service>
  void submit(Service service);
  template <class Service>
  [[nodiscard]] bool put_off(Service& service);
  Lane::Slot serve_port(const MemoryRequest& request);
  // Serves the next part of a request; returns that part's end.
  Time serve(ReadService& read);
  Time serve(WriteService& write);
  Time serve(AtomicService& atomic);
  // Delivers a part whose slot is known.
  void deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot);
  void deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last);
  void deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read, Lane::Slot write);
  void keep_causes(Causes& causes);
  // As serve(), where causes are kept.
  Lane::Slot explained(const ReadService& read, const MemoryRequest& packet);
  Lane::Slot explained(const WriteService& write, const MemoryRequest& packet);
  Time explained(AtomicService& atomic, MemoryRequest elements);
  // Delivers all parts whose turn it is and whose slots are known.
  void deliver(ReadService& read, ControlledRequest& request);
  void deliver(WriteService& write, ControlledRequest& request);
  void deliver(AtomicService& atomic, ControlledRequest& request);
  void note(const MemoryRequest& request, Time start) const;
  // Lanes keep their own reservations.
  void book(const MemoryRequest& request, const Lane::Slot& slot) {
    if (!is_lanes_) reserve_ahead(request, slot);
  }
  void reserve_ahead(const MemoryRequest& request, const Lane::Slot& slot);
  [[nodiscard]] Time done(const UnitUse& use, bool write, bool both) const;
  [[nodiscard]] bool ordered_later() const { return queue_ != nullptr || controlled_ != nullptr; }
  void pick();
  [[nodiscard]] ServerCauses from_now_on(const ServerCauses& because) const;
  void explain_pick(const MemoryRequest& request, const ServerCauses& came);
  void control();
  Task<> take_and_pick();
  Task<> finish_writes();

  std::unique_ptr<IMemoryTiming> timing_;
  std::unique_ptr<IMemoryScheduler> scheduler_;
  bool is_lanes_;
  std::array<Reserved, 2> ahead_;                   // without Lanes: reserved ahead, of reads and of writes
  std::unique_ptr<RequestQueue> queue_;             // none if requests are served as they arrive
  std::unique_ptr<ControlledRequests> controlled_;  // if its controller orders commands
  Time wake_{};                                     // when the controller is to be advanced
  std::unique_ptr<MemoryCauses> causes_;            // if causes are kept
  oplog::MemoryImage image_;
  Handoff<Packet*> arrivals_;
  Mailbox<Message*> served_;
  oplog::OpLog* log_ = nullptr;
  RaceWatch* races_ = nullptr;
  const oplog::Evaluator* evaluator_ = nullptr;
  bool shares_ports_ = false;
  std::vector<std::function<void()>> put_off_;  // in their order
  std::vector<SignalRequest> watched_;          // conditions not met yet, in order of arrival
};

}  // namespace kbsim::hw
