#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"

#include "../queues/freed_slots.hpp"
#include "../queues/installed_queues.hpp"
#include "../queues/leftover_tiles.hpp"
#include "../queues/queue_aborts.hpp"
#include "../queues/queue_looks.hpp"
#include "../queues/queue_removals.hpp"
#include "../queues/queue_unit.hpp"
#include "../queues/slot_receiver.hpp"
#include "../queues/slot_sender.hpp"
#include "../queues/waiting_commands.hpp"

namespace kbsim::hw {

struct PeIpcqSpec {
  Time overhead = 1_ns;
  static void describe(auto& f) {
    f.add("overhead_ns", &PeIpcqSpec::overhead, kNotNegative, "pipelined delay of a credit that it sends");
  }
};

/// The queues of a PE: one pair per direction of each set; the running kernel has one set. Commands of the
/// kernel, arrivals, releases and credits of one time are served together: SlotSender sends tiles while slots
/// of the peers are free, SlotReceiver gives those that came to receives, FreedSlots returns a credit per
/// slot. Arrivals and credits find their queue by address alone.
class PeIpcq : public Component, public IIpcq, public IQueueState, public IRepeatable {
 public:
  PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec);

  [[nodiscard]] Time overhead() const override { return spec_.overhead; }
  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  [[nodiscard]] std::size_t queue(std::string_view direction, Flow use) const override {
    return queues_.queue(direction, use);
  }
  [[nodiscard]] Bytes slot_size() const override;
  [[nodiscard]] bool fetches() const override { return queues_.in_use().fetches; }
  [[nodiscard]] Bytes rings_in_tcm() const override { return queues_.rings_in_tcm(); }
  [[nodiscard]] PollClock& poll_clock() override { return looks_.clock(); }
  [[nodiscard]] const PollClock& poll_clock() const override { return looks_.clock(); }

  void select(std::string_view set, const LaunchId& launch) override;
  void submit(Time at, SendCommand&& command) override { work_.post(at, std::move(command)); }
  void submit(Time at, RecvCommand&& command) override { work_.post(at, std::move(command)); }
  void arrived(Time at, const SlotWrite& write) override {
    work_.post(at, Arrival{write.slot, write.header});
  }
  void release(Time at, std::size_t queue, std::size_t slot) override {
    work_.post(at, Release{queue, slot});
  }
  void credited(Time at, topology::PhysAddr ring_base) override { work_.post(at, Credit{ring_base}); }

  void ended(std::string_view set, const LaunchId& launch) override { leftovers_.end(set, launch); }
  void require_received() const override { leftovers_.require_received(); }
  void add_ends(std::vector<QueueEnd>& ends) const override;
  void visit(RepeatVisitor& visitor) override;

 private:
  struct Arrival {
    topology::PhysAddr slot;
    SlotHeader header;
    std::uint32_t collected = 0;  // index from 1 on in the collected work, if causes are kept
  };
  struct Release {
    std::size_t queue;
    std::size_t slot;
    std::uint32_t collected = 0;
  };
  struct Credit {
    topology::PhysAddr ring_base;
    std::uint32_t collected = 0;
  };
  struct Look {};
  using Work = std::variant<SendCommand, RecvCommand, Arrival, Release, Credit, Look>;

  Task<> serve_queues();
  [[nodiscard]] static std::uint64_t program_order(const Work& item);
  void explain(std::vector<Work>& work) const;
  [[nodiscard]] const Cause* why_came(std::uint32_t collected) const {
    return collected != 0 ? &work_.collected()[collected - 1] : nullptr;
  }
  void take(SendCommand&& command) { sender_.take(std::move(command)); }
  void take(RecvCommand&& command) { receiver_.take(std::move(command)); }
  void take(const Arrival& one) { receiver_.arrived(one.slot, one.header, why_came(one.collected)); }
  void take(const Release& release);
  void take(const Credit& credit) { sender_.credited(credit.ring_base, why_came(credit.collected)); }
  void take(Look /*look*/) { looks_.look(); }
  void serve();
  void obey(NodeId from, const Control& order);
  void install(const InstallQueues& plan);

  PeIpcqSpec spec_;
  QueueUnit unit_;
  InstalledQueues queues_{unit_};
  QueueLooks looks_{unit_, queues_};
  LeftoverTiles leftovers_{unit_, queues_};
  FreedSlots freed_{unit_, queues_};
  SlotSender sender_{unit_, queues_, looks_};
  SlotReceiver receiver_{unit_, queues_, looks_, leftovers_, freed_};
  QueueRemovals removals_{unit_, queues_, receiver_, leftovers_};
  QueueAborts aborts_{unit_, queues_, sender_, receiver_};
  Mailbox<Work> work_;
};

}  // namespace kbsim::hw
