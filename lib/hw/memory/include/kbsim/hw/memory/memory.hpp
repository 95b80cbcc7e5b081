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
#include "kbsim/oplog/memory.hpp"

namespace kbsim::hw {

struct AtomicService;
struct ControlledRequest;
class ControlledRequests;
class MemoryCauses;
class RaceWatch;
struct ReadService;
class RequestQueue;
struct WriteService;

/// A memory behind the fabric. Values are bound as requests arrive: a read gives what the memory holds at
/// that time. The scheduler decides when a request is served, the timing model how long that takes. A read's
/// data leaves as packets while it is served; a write is acknowledged, and a slot write told to its receiver,
/// when its last byte is served. An atomic is a read and then a write of the same bytes. A wait for a signal
/// is kept, at no cost, until its word is as asked for or an atomic makes it so.
class Memory : public Component, private IPlainMemory {
 public:
  /// An unknown scheduler is a ConfigError.
  Memory(Fabric& fabric, NodeId id, std::unique_ptr<IMemoryTiming> timing, const std::string& scheduler);
  ~Memory() override;

  void start(Machine& machine) override;

  /// Latency of an uncontended access, from its arrival to its first byte.
  [[nodiscard]] Time latency(bool write) const { return timing_->port(write).latency; }
  /// The part of it that opens a row.
  [[nodiscard]] Time opening(bool write) const { return timing_->port(write).opening; }
  [[nodiscard]] Bandwidth read_rate() const { return timing_->port(false).rate; }
  [[nodiscard]] Bandwidth write_rate() const { return timing_->port(true).rate; }
  [[nodiscard]] std::vector<UnitUse> use() const override;
  [[nodiscard]] const IMemoryTiming& timing() const { return *timing_; }
  [[nodiscard]] bool takes_heads() const override { return true; }
  [[nodiscard]] bool only_answers() const override { return !ordered_later(); }
  [[nodiscard]] Parts parts() const override { return ordered_later() ? Parts::heard : Parts::served; }
  void accept_unheard(const UnheardPackets& packets) override;

  [[nodiscard]] IPlainMemory* plain_memory() override;

  /// What it holds by now: a write changes that when its last packet has come, which is an event.
  [[nodiscard]] oplog::MemoryImage& image() {
    fabric().end_holds();
    return image_;
  }

 protected:
  void accept(Packet& packet) override;
  void accept(MessagePtr message) override;

  /// Serves a request that comes by no packet.
  Lane::Slot serve(const MemoryRequest& request);
  /// Somebody else reads here without packets, and comes first of a time: while puts_off(), what is to be
  /// read, and all behind it, waits for serve_put_off().
  void share_ports() { shares_ports_ = true; }
  [[nodiscard]] virtual bool puts_off() { return false; }
  void serve_put_off();
  /// Where the bytes of a message begin that are written here.
  [[nodiscard]] virtual std::int64_t address_of(const Message& message) const;
  /// A message that is data for this memory has been served at that time, which is now or to come.
  virtual void finished(MessagePtr message, Time at);

 private:
  [[nodiscard]] Lane& lane(bool write) override { return *timing_->lane(write); }
  [[nodiscard]] Time time_to(bool write) const override { return latency(write); }
  [[nodiscard]] oplog::Slices holds(std::int64_t address, Bytes bytes) const override {
    return image_.read(address, bytes.count());
  }
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
  // Each serves the next part of it and gives that part's end.
  Time serve(ReadService& read);
  Time serve(WriteService& write);
  Time serve(AtomicService& atomic);
  // What is done with a part whose slot is known.
  void deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot);
  void deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last);
  void deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read, Lane::Slot write);
  void keep_causes(Causes& causes);
  // As serve(), where causes are kept.
  Lane::Slot explained(const ReadService& read, const MemoryRequest& packet);
  Lane::Slot explained(const WriteService& write, const MemoryRequest& packet);
  Time explained(AtomicService& atomic, MemoryRequest elements);
  // All of its parts whose turn it is and whose slots are known.
  void deliver(ReadService& read, ControlledRequest& request);
  void deliver(WriteService& write, ControlledRequest& request);
  void deliver(AtomicService& atomic, ControlledRequest& request);
  void note(const MemoryRequest& request, Time start) const;
  // Lanes know themselves what they have reserved.
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
  std::array<Reserved, 2> ahead_;                   // otherwise: of reads, and of writes
  std::unique_ptr<RequestQueue> queue_;             // none if requests are served as they arrive
  std::unique_ptr<ControlledRequests> controlled_;  // if its controller orders commands
  Time wake_{};                                     // when that is to be advanced
  std::unique_ptr<MemoryCauses> causes_;            // if somebody wants to know
  oplog::MemoryImage image_;
  Mailbox<Message*> served_;
  oplog::OpLog* log_ = nullptr;
  RaceWatch* races_ = nullptr;
  const oplog::Evaluator* evaluator_ = nullptr;
  bool shares_ports_ = false;
  std::vector<std::function<void()>> put_off_;  // in their order
  std::vector<SignalRequest> watched_;          // words that aren't yet as asked for, in order of arrival
};

}  // namespace kbsim::hw
