#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/container/stable_vector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/oplog/log_memory.hpp"
#include "kbsim/sim/pool_queue.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/queue_matcher.hpp"

namespace kbsim::hw {

class IDma;
class QueueTrace;

struct PeIpcqSpec {
  Time overhead = 1_ns;
  static void describe(auto& f) {
    f.add("overhead_ns", &PeIpcqSpec::overhead, kNotNegative, "pipelined delay of a credit that it sends");
  }
};

/// The queues of a PE: one pair per direction of each set; the running kernel has one set. A send waits while
/// all of the peer's slots are taken, then leaves by a DMA write to the peer's ring. Arrivals and credits
/// find their queue by address alone. Receives take slots in their order: from a ring in TCM the tile lives
/// in the slot and frees it when released; from another ring it is fetched into TCM, which frees the slot. A
/// credit then returns.
class PeIpcq : public Component, public IIpcq, public IQueueState {
 public:
  PeIpcq(Fabric& fabric, NodeId id, PeIpcqSpec spec);

  [[nodiscard]] Time overhead() const override { return spec_.overhead; }
  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  [[nodiscard]] std::size_t queue(std::string_view direction, Flow use) const override;
  [[nodiscard]] Bytes slot_size() const override {
    return in_use().empty() ? 0_B : in_use_->settings.slot_size;
  }
  [[nodiscard]] bool fetches() const override { return in_use_->fetches; }
  [[nodiscard]] Bytes rings_in_tcm() const override { return rings_in_tcm_; }
  [[nodiscard]] PollClock& poll_clock() override { return poll_clock_; }
  [[nodiscard]] const PollClock& poll_clock() const override { return poll_clock_; }

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

  void ended(std::string_view set, const LaunchId& launch) override;
  void require_received() const override;
  void add_ends(std::vector<QueueEnd>& ends) const override;

 private:
  // Counters run from 0 and never wrap; slot = counter mod slots. The fields that each message needs come
  // first.
  struct QueuePair {
    std::int64_t slots = 0;      // of each of its rings,
    Bytes slot_size;             // and of each slot; both as in its set
    std::int64_t my_head = 0;    // slots of the peer filled by me
    std::int64_t peer_tail = 0;  // of these, freed by the peer as far as known here
    PoolQueue<SendCommand> sends;
    PoolQueue<std::optional<SlotHeader>> filled;  // slots from `taken` on; none: not arrived yet
    std::int64_t peer_head = 0;                   // my slots filled by the peer
    std::int64_t taken = 0;                       // of these, given to receives
    std::int64_t my_tail = 0;                     // of these, released
    std::vector<bool> let_go;  // by slot: tiles are released in any order, slots are freed in ring order
    QueuePairPlan plan;
    std::size_t set = 0;
    Dir label;                  // its direction, for the tiles
    std::string traced;         // the same, with the set's name if there are several
    std::vector<Cause> came;    // causes of arrival, as `filled`, if causes are kept
    Cause room;                 // cause of the last free slot, likewise
    IIpcq* creditor = nullptr;  // the peer, if credits bypass the fabric, and their delay
    Time credit_delay{};
    std::uint32_t last_sent_in = 0;   // the launch whose tile was received last,
    std::uint32_t last_taken_in = 0;  // and that which received it

    [[nodiscard]] bool has_ring() const { return receives(plan.flow); }  // of its own
    [[nodiscard]] bool has_tile() const { return !filled.empty() && filled.front(); }
    [[nodiscard]] bool has_room() const { return my_head - peer_tail < slots; }
    [[nodiscard]] Bytes ring_size() const { return slot_size * slots; }
    [[nodiscard]] std::size_t slot(std::int64_t counter) const {
      return static_cast<std::size_t>(counter % slots);
    }
  };
  struct Set {
    std::string name;
    QueueSettings settings;
    bool fetches = false;              // its rings aren't in TCM
    QueueTurns queues;                 // consecutive
    std::uint64_t ended_round = 0;     // the last round that has ended
    std::uint32_t aborted_before = 0;  // launches ordered before it are given up
    bool removed = false;
  };
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
  struct Removal {  // and the receiver of its report
    std::vector<std::string> sets;
    NodeId from;
    std::uint32_t token = 0;
    Time start;
  };
  using Abort = Removal;
  using Work = std::variant<SendCommand, RecvCommand, Arrival, Release, Credit, Look>;

  [[nodiscard]] const QueueSettings& settings(const QueuePair& pair) const {
    return sets_[pair.set].settings;
  }
  [[nodiscard]] static std::uint64_t program_order(const Work& item);
  Task<> serve_queues();
  void explain(std::vector<Work>& work) const;
  void go_on_because(const Cause& cause) const;
  [[nodiscard]] Cause has_room_because(const QueuePair& pair, const Cause& ready) const;
  [[nodiscard]] Cause why_came(std::uint32_t collected) const {
    return collected != 0 ? work_.collected()[collected - 1] : Cause{};
  }
  void obey(NodeId from, const Control& order);
  void report(NodeId to, std::uint32_t token, Time start);
  void install(const InstallQueues& plan);
  void remove_what_is_idle();
  [[nodiscard]] bool is_idle(const std::string& set);
  void remove(const std::string& set);
  void drop_removed();
  void abort(const AbortQueues& what, std::uint32_t before);
  void give_up();
  void give_up(Set& set);
  void report_aborts();
  [[nodiscard]] bool is_given_up(const QueuePair& pair, const LaunchId& launch) const {
    return launch.order < sets_[pair.set].aborted_before;
  }
  void drop_what_came(std::size_t queue);
  [[nodiscard]] bool all_let_go(const std::string& set);
  void add(const QueueSet& plan);
  void require_disjoint(const QueuePair& a, const QueuePair& b) const;
  [[nodiscard]] Set* find(std::string_view set);
  [[nodiscard]] std::span<const QueuePair> in_use() const;
  [[nodiscard]] std::string label(const QueuePair& pair) const;
  void return_credit(const QueuePair& pair, std::size_t queue);
  void go_beside_fabric(QueuePair& pair) const;
  [[nodiscard]] bool in_tcm(const QueuePair& pair) const;
  [[nodiscard]] bool is_there(const QueuePair& pair) const { return !sets_[pair.set].removed; }
  [[nodiscard]] bool ended_here(const QueuePair& pair, const SlotHeader& header) const;
  [[nodiscard]] bool is_for(const LaunchId& by, QueuePair& pair, const SlotHeader& header) const;
  [[nodiscard]] KernelFault left(const QueuePair& pair, const SlotHeader& header, std::string_view why) const;

  void take(SendCommand&& command);
  void take(RecvCommand&& command);
  void take(const Arrival& arrival);
  void take(const Release& release);
  void take(const Credit& credit);
  void take(Look /*look*/) { looking_ = true; }

  void serve();
  [[nodiscard]] std::optional<Time> seen(Time asked) const;
  void look_again();
  [[nodiscard]] Cause why_waits() const;
  void go_on_with(const Cause& asked, const Cause& there, const Cause& last, Time at);
  [[nodiscard]] Cause looked(const Cause& asked, const Cause& there, const Cause& last) const;
  void known_at(Time at) const;
  [[nodiscard]] bool can_go_on(std::size_t queue) const;
  [[nodiscard]] const KernelContext* who_waits() const;
  static void fetch_ahead(const SendCommand& next);
  void send_what_fits(std::size_t queue);
  void send(std::size_t queue, SendCommand&& command, Time at);
  void note_slot(ISpans& spans, const QueuePair& pair, Time at, std::int64_t change) const;
  void give_what_came();
  void give(std::size_t queue, RecvCommand&& to);
  void hand_over(const RingSlot& slot, RecvCommand&& to, Time at);
  void trace(std::string_view what, const QueuePair& pair, const SlotHeader& header, Time at);
  [[nodiscard]] TilePtr slot_tile(const topology::PhysRange& where, const RingSlot& slot,
                                  std::shared_ptr<KernelContext> kernel, const RecvCommand& to,
                                  Time at) const;

  PeIpcqSpec spec_;
  Machine* machine_ = nullptr;
  IDma* dma_ = nullptr;
  oplog::MemoryImage* tcm_ = nullptr;
  QueueTrace* trace_ = nullptr;
  std::vector<QueuePair> pairs_;
  Bytes rings_in_tcm_;
  boost::container::stable_vector<Set> sets_;  // addresses stay valid
  std::vector<Removal> removals_;
  std::vector<Abort> aborts_;
  bool any_aborted_ = false;          // of the sets, ever
  std::vector<std::uint32_t> begun_;  // orders of the launches that have begun here, ascending
  std::vector<std::uint32_t> ended_;  // and of those that have ended on all their PEs
  Set none_;                          // of a kernel that has no queues
  Set* in_use_ = &none_;              // the set of sends and receives
  QueueMatcher<RecvCommand> receives_;
  PollClock poll_clock_;
  Cause found_;                  // cause of the last find, if causes are kept
  bool looking_ = false;         // it is the time of a look
  Time next_look_{-1};           // the last that was posted
  bool may_send_ = false;        // since the last turn, a send or a credit arrived,
  bool may_give_ = false;        // a receive or a tile
  std::ptrdiff_t releases_ = 0;  // of this turn
  Mailbox<Work> work_;
};

}  // namespace kbsim::hw
