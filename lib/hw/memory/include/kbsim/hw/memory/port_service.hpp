#pragma once

#include <memory>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/i_memory_model.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/hw/memory/memory_use.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

struct AtomicService;
class MemoryCauses;
struct ReadService;
struct WriteService;

/// The service of a memory's ports. A read's data leaves as packets while served; a write is finished when
/// its last byte is served. An atomic is a read, then a write of the same bytes.
class PortService {
 public:
  /// `served` gets the messages of writes at the time when they are finished.
  PortService(const Component& memory, IMemoryTiming& timing, IMemoryModel& model, Mailbox<Message*>& served);
  ~PortService();

  /// Atomics are recorded here.
  void record_in(oplog::OpLog& log) { log_ = &log; }
  /// `in_order`: requests end in their order of arrival.
  void keep_causes(Causes& causes, bool in_order);
  /// Null if causes aren't kept.
  [[nodiscard]] MemoryCauses* causes() const { return causes_.get(); }
  [[nodiscard]] const MemoryUse& use() const { return use_; }

  /// Serves a request that arrives without a packet.
  Lane::Slot serve(const MemoryRequest& request);
  /// Serves the next part of a request; returns that part's end. `last`: no other packet of the write waits.
  Time serve(ReadService& read);
  Time serve(WriteService& write, bool last = true);
  Time serve(AtomicService& atomic);
  /// Serves all whole packets of a read together: a Lane serves them back to back.
  void serve_run(ReadService& read, Lane& lane);
  /// Serves packets that no event brings, with the result of one delivery per packet.
  void serve_unobserved(const UnobservedPackets& packets);

  /// Delivers a part whose slot is known.
  void deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot);
  void deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last);
  void deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read, Lane::Slot write);

 private:
  // As serve(), where causes are kept.
  Lane::Slot explained(const MemoryRequest& request);
  Lane::Slot explained(const ReadService& read, const MemoryRequest& packet);
  Lane::Slot explained(const WriteService& write, const MemoryRequest& packet);
  Time explained(AtomicService& atomic, MemoryRequest elements);
  void note(const MemoryRequest& request, Time start) const;

  const Component& memory_;
  Fabric& fabric_;
  IMemoryTiming& timing_;
  IMemoryModel& model_;
  Mailbox<Message*>& served_;
  MemoryUse use_;
  std::unique_ptr<MemoryCauses> causes_;  // if causes are kept
  oplog::OpLog* log_ = nullptr;
};

}  // namespace kbsim::hw
