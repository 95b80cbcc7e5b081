#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kbsim/hw/component.hpp"
#include "kbsim/hw/pe_commands.hpp"
#include "kbsim/oplog/memory.hpp"

namespace kbsim::hw {

class PeDma;

struct PeIpcqSpec {
  Time overhead = 1_ns;
  static void describe(FieldList<PeIpcqSpec>& f) {
    f.add("overhead_ns", &PeIpcqSpec::overhead, kNotNegative, "pipelined delay of a credit that it sends");
  }
};

/// The queues of a PE: one pair a direction. A send waits while all of the peer's slots are taken, then goes
/// by a DMA write to the peer's ring. An arrival, and a credit that comes back, are told apart by address
/// alone. A receive gives the next slot, in the order of the receives; letting its tile go frees the slot
/// and returns a credit through the fabric.
class PeIpcq : public Component {
 public:
  PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec);

  [[nodiscard]] Time overhead() const override { return spec_.overhead; }
  void start(Machine& machine) override;

  /// Which queue a direction names; KernelFault listing those installed if none.
  [[nodiscard]] std::size_t queue(std::string_view direction) const;
  [[nodiscard]] Bytes slot_size(std::size_t queue) const { return pairs_[queue].plan.slot_size; }

  void submit(Time at, SendCommand command) { work_.post(at, std::move(command)); }
  void submit(Time at, RecvCommand command) { work_.post(at, std::move(command)); }
  void arrived(Time at, const SlotWrite& write) { work_.post(at, Arrival{write.slot, write.header}); }
  void release(Time at, std::size_t queue, std::size_t slot) { work_.post(at, Release{queue, slot}); }

  /// One line a queue pair with its counters, for reports; only of those that somebody waits on.
  [[nodiscard]] std::vector<std::string> waiting() const;

 private:
  // Counters run from 0 and never wrap; slot = counter mod slots.
  struct QueuePair {
    QueuePairPlan plan;
    std::int64_t my_head = 0;    // slots of the peer filled by me
    std::int64_t peer_tail = 0;  // of these, freed by the peer as far as known here
    std::int64_t peer_head = 0;  // my slots filled by the peer
    std::int64_t taken = 0;      // of these, given to receives
    std::int64_t my_tail = 0;    // of these, let go
    std::deque<SendCommand> sends;
    std::deque<RecvCommand> receives;
    std::deque<SlotHeader> filled;  // of slots [taken, peer_head)
    std::vector<bool> let_go;       // by slot: tiles may go in any order, slots are freed in theirs
  };
  struct Arrival {
    topology::PhysAddr slot;
    SlotHeader header;
  };
  struct Release {
    std::size_t queue;
    std::size_t slot;
  };
  struct Credit {
    topology::PhysAddr ring_base;
  };
  using Work = std::variant<SendCommand, RecvCommand, Arrival, Release, Credit>;

  [[nodiscard]] static std::size_t slot(const QueuePair& pair, std::int64_t counter) {
    return static_cast<std::size_t>(counter % pair.plan.slots);
  }
  [[nodiscard]] static std::uint64_t program_order(const Work& item);
  Task<> run();
  void accept(MessagePtr message) override;
  void install(const InstallQueues& plan);
  void take(SendCommand command);
  void take(RecvCommand command);
  void take(const Arrival& arrival);
  void take(const Release& release);
  void take(const Credit& credit);
  void send_what_fits(std::size_t queue);
  void give_what_came(std::size_t queue);
  [[nodiscard]] TilePtr slot_tile(std::size_t queue, const SlotHeader& header, const RecvCommand& to);

  PeIpcqSpec spec_;
  PeDma* dma_ = nullptr;
  oplog::MemoryImage* tcm_ = nullptr;
  Bytes credit_size_;
  std::vector<QueuePair> pairs_;
  Mailbox<Work> work_;
};

}  // namespace kbsim::hw
