#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/container/devector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_link_hold.hpp"
#include "kbsim/hw/fabric/paced_runs.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"

#include "../dma_requests.hpp"
#include "../read_stream.hpp"

namespace kbsim::hw {

class IMmu;
class ITcm;

struct PeDmaSpec {
  int max_outstanding = 16;
  Bytes vc_chunk{256};
  Bytes request{4096};
  std::string policy = "in_order";
  /// Limit of a class, capped so that sums of a few such numbers don't overflow.
  [[nodiscard]] Bytes most_in_flight() const {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    return request.count() > kMost / max_outstanding ? Bytes{kMost} : request * max_outstanding;
  }
  static void describe(FieldList<PeDmaSpec>& f) {
    f.add("max_outstanding", &PeDmaSpec::max_outstanding, at_least(1),
          "requests of request_bytes in flight in a class of traffic; smaller ones count by their bytes");
    f.add("vc_chunk_size", &PeDmaSpec::vc_chunk, at_least(1),
          "bytes before the next class of traffic has its turn");
    f.add("request_bytes", &PeDmaSpec::request, at_least(1), "largest read request or write burst");
    f.add("request_policy", &PeDmaSpec::policy,
          "which transfer of a class sends the next request: in_order or round_robin, or one of a plug-in");
  }
};

/// Sends the requests of transfers, and their packets, by turns. Each class of traffic keeps at most
/// `max_outstanding` requests in flight; a smaller one counts as a part, in lines of 256 B. The classes take
/// turns every `vc_chunk` bytes, queue traffic as its QueueSet says; within a class the request policy
/// decides. So a flow whose answers take `loop` to return has at most max_outstanding * request / loop.
class PeDma : public Component, public IDma, private ILinkHold {
 public:
  PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec);

  void start(Machine& machine) override;

  void submit(Time at, TransferPtr transfer) override {
    work_.post(at, {.kind = Work::Kind::begin, .transfer = std::move(transfer)});
  }
  void loaded(Time at, Token token, oplog::Slices contents) override {
    DmaRequests::Request& request = requests_.at(token);
    request.contents = std::move(contents);
    request.reserved = at;
    work_.post(at, {.kind = Work::Kind::answer, .token = token});
  }
  [[nodiscard]] bool reads_first() override;
  [[nodiscard]] DmaUse moved() const override;

 private:
  // A message whose packets are leaving one by one.
  struct Burst {
    Message* message = nullptr;
    Bytes left{};
  };
  // The waiting transfers of a class of traffic; one cache line.
  struct alignas(64) ClassQueue {
    using FewBytes = boost::container::devector_options_t<boost::container::stored_size<std::uint32_t>>;
    boost::container::devector<TransferPtr, void, FewBytes> waiting = {};  // in the order of their begins
    std::uint32_t next = 0;  // index of the transfer that sends the next request, or is sending one
    bool picked = false;
    Burst burst;
    Bytes outstanding;                       // in the window
    std::unique_ptr<IRequestPolicy> policy;  // from its first transfer on
    [[nodiscard]] Transfer& sender() const { return *waiting[next]; }
  };
  static_assert(sizeof(ClassQueue) == 64);
  using ClassQueues = std::array<ClassQueue, kTrafficClasses>;
  // The cause of room in a class's window, and the bytes that it freed.
  struct Room {
    Cause why;
    Bytes freed;
  };
  struct Work {
    enum class Kind : std::uint8_t { begin, answer, sent, port_free, reserved };
    Kind kind;
    Token token = 0;            // of an answer, a stream, a burst that has left, or a wake-up
    TransferPtr transfer = {};  // that begins, or has left
  };

  // A burst reserved ahead, of one class or of two that take turns.
  struct ReservedPart {
    ClassQueue* queue = nullptr;
    std::int64_t left = 0;  // turns that the queue hasn't counted yet
    bool all = false;       // the transfer is all sent then
  };
  struct ReservedRun {
    std::array<ReservedPart, 2> parts{};
    std::int64_t ways = 1;  // number of parts
    Bytes size;             // of each packet
    std::int64_t count = 0;
    std::int64_t taken = 0;  // turns that the queues have counted
    Bytes less;              // bytes that the last is shorter, if one class has them
  };

  Task<> run();
  void have_turn(std::vector<Work>& work);
  void wake_when_free();
  void take(std::vector<Work>& work);
  void explain_turn(const ClassQueue& queue);
  void note_rivals(const ClassQueue& chosen, const Cause& turn);
  [[nodiscard]] Room room_of(const ClassQueue& queue) const;
  [[nodiscard]] bool needed_room(const ClassQueue& queue, const Room& room) const;
  void explain(const Transfer& transfer, Bytes freed);
  void explain_port(Bytes sent, bool from_tcm);
  void begin(TransferPtr transfer);
  void note(const Transfer& transfer) const;
  void answered(Token token);
  void finish(Transfer& transfer);
  void accept(MessagePtr message) override;
  void obey(NodeId from, const Control& order);

  [[nodiscard]] ClassQueue& queue_of(const Transfer& transfer) {
    return (*queues_)[static_cast<std::size_t>(transfer.traffic_class())];
  }
  // The class whose turn it is, else the next that may send.
  [[nodiscard, gnu::always_inline]] ClassQueue* next_queue() {
    if (turn_left_ <= 0_B || !may_send((*queues_)[turn_])) {
      for (std::size_t i = 1; i <= queues_->size(); ++i) {
        const std::size_t candidate = (turn_ + i) % queues_->size();
        if (!may_send((*queues_)[candidate])) continue;
        turn_ = candidate;
        turn_left_ = turn_of((*queues_)[turn_]);
        return &(*queues_)[turn_];
      }
      return nullptr;
    }
    return &(*queues_)[turn_];
  }
  [[nodiscard]] bool may_send(ClassQueue& queue) const {
    if (queue.waiting.empty()) return false;
    if (!std::exchange(queue.picked, true)) {
      const std::size_t next = queue.policy->pick({queue.waiting.data(), queue.waiting.size()});
      queue.next = static_cast<std::uint32_t>(std::min(next, queue.waiting.size()));
    }
    ensure(queue.next < queue.waiting.size(), "a request policy picked a transfer that isn't waiting");
    return has_room(queue, queue.sender());
  }
  // As may_send() if nothing changes; also true if only its policy knows the sender.
  [[nodiscard]] bool may_send_later(const ClassQueue& queue) const {
    if (queue.waiting.empty()) return false;
    if (queue.picked) return has_room(queue, queue.sender());
    return !queue.policy->takes_first() || has_room(queue, *queue.waiting.front());
  }
  [[nodiscard]] bool has_room(const ClassQueue& queue, const Transfer& sender) const {
    if (queue.burst.message != nullptr || queue.outstanding == 0_B) return true;
    const Bytes with_next = queue.outstanding + window_of(sender.next_bytes(spec_.request));
    return ceil_div(with_next.count(), spec_.request.count()) <= spec_.max_outstanding;
  }
  // Queue traffic has turns as long as its algorithm says.
  [[nodiscard]] Bytes turn_of(const ClassQueue& queue) const {
    const Bytes own = queue.sender().vc_chunk();
    return own > 0_B ? own : spec_.vc_chunk;
  }
  [[nodiscard]] Bytes window_of(Bytes request) const { return ReadStream::window_of(request, spec_.request); }

  // Reads reserved ahead, all of one class.
  [[nodiscard]] bool streams() const { return stream_ != nullptr && stream_->active(); }
  static constexpr auto kReservedClass = static_cast<std::size_t>(TrafficClass::request);
  [[nodiscard]] ClassQueue& reserved_queue() { return (*queues_)[kReservedClass]; }
  [[nodiscard]] bool may_stream() { return !reserved_queue().waiting.empty() && fabric().books_ahead(); }
  [[nodiscard]] bool begins_stream();
  [[nodiscard]] bool takes_over(const ReadStream::Terms& terms, const ReadStream::Port& port);
  [[nodiscard]] static bool pays(const ClassQueue& queue);
  [[nodiscard]] bool is_mine(const Message& message) const;
  void follow_answers();
  void follow_packets(PoolVector<Packet*> packets);
  [[nodiscard]] bool streams_on();
  void finish_reserved();
  void record_contents(const ReadStream::ReservedTransfer& reserved, std::uint64_t end);
  void end_stream(const Reached& reached);
  void goes_on(const TransferPtr& transfer, std::uint64_t index, const ReadLanes::Moving& where,
               const Reached& reached);
  void leave_port(const ReadStream::Port& port);
  // Packets of a message reserved ahead.
  [[nodiscard]] std::optional<Time> begins_run(ClassQueue& queue, Bytes size, Time gap);
  [[nodiscard]] Time gap_of(Bytes size) const;
  [[nodiscard]] PacedRuns* paced();
  void follow_run(ClassQueue& queue, ClassQueue* other, const ReservedRun& reserved);
  [[nodiscard]] ClassQueue* rival_of(const ClassQueue& queue, const ClassQueue* but = nullptr) const;
  [[nodiscard]] bool takes_turns(const ClassQueue& queue, const ClassQueue& other, Bytes size) const;
  [[nodiscard]] bool runs() const { return run_.count > 0; }
  [[nodiscard]] bool run_has_rival() const;
  [[nodiscard]] bool ends_with_run(const ClassQueue& queue) const;
  [[nodiscard]] bool had_turn() const;
  void take_turns(bool present);
  void end_run(bool present);
  void end_runs() { end_run(had_turn()); }

  std::optional<Lane::Slot> give_way(LiveLink& link, const Packet& packet, Time overhead) override;
  void settle() override;
  void break_stream(const Reached& reached);

  Time send_next(ClassQueue& queue);
  Time ask(ClassQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_whole(ClassQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_packet(ClassQueue& queue);
  void has_left(ClassQueue& queue, Bytes size, Time left_tcm);
  void have_left(ClassQueue& queue, Bytes bytes, Time left_tcm);
  void remember(ClassQueue& queue, const DmaRequest& request, Bytes bytes);
  void sent(ClassQueue& queue, Bytes bytes, Time left_tcm);

  PeDmaSpec spec_;
  const RequestPolicyEntry* policy_;
  ITcm* tcm_ = nullptr;
  const IMmu* mmu_ = nullptr;
  DmaSite site_;
  RaceWatch* races_ = nullptr;
  Bandwidth port_;
  Time port_free_{};
  Cause port_why_;  // if causes are kept
  Mailbox<Work> work_;
  std::unique_ptr<ClassQueues> queues_;                       // from the first work on
  std::unique_ptr<std::array<Room, kTrafficClasses>> rooms_;  // once there is some, if causes are kept
  std::size_t turn_ = 0;
  Bytes turn_left_;
  Token reserved_wakes_ = 0;  // number of the last wake-up; earlier ones are void
  bool wakes_ = false;        // a wake-up is posted for when the port is free
  bool tcm_waits_ = false;    // for this turn
  DmaRequests requests_;
  std::unique_ptr<ReadStream> stream_;  // from the first on
  Token streams_ = 0;                   // number that have begun
  std::uint32_t pause_ = 0;             // number of tries to skip before the next begins
  std::uint32_t broken_ = 0;            // the next pause is 2^broken_ long
  Token reserved_runs_ = 0;             // number of bursts that end a transfer
  Time reserved_ = kForever;            // when an order's end was last reported
  ReservedRun run_;                     // whose turns are to come
  std::unique_ptr<PacedRuns> paced_;    // from the first on
  std::uint64_t begun_ = 0;             // transfers
  std::uint64_t done_ = 0;              // of these
  Time busy_since_{};                   // if some aren't done
  DmaUse use_;
};

}  // namespace kbsim::hw
