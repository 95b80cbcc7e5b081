#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/container/devector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/pe/dma_requests.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"
#include "kbsim/sim/mailbox.hpp"

namespace kbsim::hw {

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

/// A message whose packets are leaving one by one.
struct DmaBurst {
  Message* message = nullptr;
  Bytes left{};
};

/// The waiting transfers of a class of traffic; one cache line.
struct alignas(64) DmaQueue {
  using FewBytes = boost::container::devector_options_t<boost::container::stored_size<std::uint32_t>>;
  boost::container::devector<TransferPtr, void, FewBytes> waiting = {};  // in the order of their begins
  std::uint32_t next = 0;  // index of the transfer that sends the next request, or is sending one
  bool picked = false;
  DmaBurst burst;
  Bytes outstanding;                       // in the window
  std::unique_ptr<IRequestPolicy> policy;  // from its first transfer on
  [[nodiscard]] Transfer& sender() const { return *waiting[next]; }
};
static_assert(sizeof(DmaQueue) == 64);

/// Work of a DMA at a time.
struct DmaWork {
  enum class Kind : std::uint8_t { begin, answer, sent, port_free, planned };
  Kind kind;
  Token token = 0;            // of an answer, a planned burst, a plan, or a wake-up
  TransferPtr transfer = {};  // that begins, or has left
};

/// The state of a DMA between its turns: transfers that wait in each class of traffic, whose turn it is,
/// requests in flight, what it has moved. Each class keeps at most `max_outstanding` requests in flight; a
/// smaller one counts as a part, in lines of 256 B. The classes take turns every `vc_chunk` bytes, queue
/// traffic as its QueueSet says; within a class the request policy decides.
class DmaEngine {
 public:
  using Queues = std::array<DmaQueue, kTrafficClasses>;
  DmaEngine(Fabric& fabric, NodeId id, const PeDmaSpec& spec);
  DmaEngine(const DmaEngine&) = delete;
  DmaEngine& operator=(const DmaEngine&) = delete;

  [[nodiscard]] Fabric& network() const { return network_; }
  [[nodiscard]] Time now() const { return network_.sim().now(); }
  /// Number of the batch of this time, from 1; 0: before the first.
  [[nodiscard]] std::uint32_t batch() const {
    return network_.sim().scheduler().lates().of(network_.sim().now());
  }
  [[nodiscard]] const PeDmaSpec& spec() const { return spec_; }
  [[nodiscard]] const DmaSite& site() const { return site_; }
  [[nodiscard]] Bandwidth port() const { return port_; }
  /// Port time of a packet that TCM reads. The port is the DMA's link to its router.
  [[nodiscard]] Time gap_of(Bytes size) const;

  [[nodiscard]] Queues& queues() { return *queues_; }
  [[nodiscard]] DmaQueue& queue_of(TrafficClass traffic) {
    return (*queues_)[static_cast<std::size_t>(traffic)];
  }
  /// The class whose turn it is, else the next that may send.
  [[nodiscard]] DmaQueue* next_queue();
  [[nodiscard, gnu::always_inline]] bool may_send(DmaQueue& queue) const {
    if (queue.waiting.empty()) return false;
    if (!std::exchange(queue.picked, true)) pick(queue);
    return has_room(queue, queue.sender());
  }
  /// As may_send() if nothing changes; also true if only its policy knows the sender.
  [[nodiscard]] bool may_send_later(const DmaQueue& queue) const {
    if (queue.waiting.empty()) return false;
    if (queue.picked) return has_room(queue, queue.sender());
    return !queue.policy->takes_first() || has_room(queue, *queue.waiting.front());
  }
  /// Bytes of the class's turn.
  [[nodiscard]] Bytes turn_of(const DmaQueue& queue) const {
    const Bytes own = queue.sender().vc_chunk();
    return own > 0_B ? own : spec_.vc_chunk;
  }
  /// Bytes that a request takes of the window, in whole lines: answers return to lines of the DMA's buffer,
  /// which limits the number of small requests in flight.
  [[nodiscard]] static Bytes window_of(Bytes request, Bytes largest);
  [[nodiscard]] Bytes window_of(Bytes request) const { return window_of(request, spec_.request); }

  /// Whose turn it is, and the bytes left of it.
  struct Turn {
    std::size_t queue = 0;
    Bytes left;
  };
  [[nodiscard]] Turn& turn() { return turn_; }
  [[nodiscard]] const Turn& turn() const { return turn_; }
  /// When the port is free.
  [[nodiscard]] Time& port_free() { return port_free_; }
  [[nodiscard]] DmaRequests& requests() { return requests_; }
  [[nodiscard]] DmaUse& use() { return use_; }

  void post(Time at, DmaWork work) { work_.post(at, std::move(work)); }
  /// True if work has arrived that the DMA has yet to take.
  [[nodiscard]] bool is_due() const { return work_.due(); }
  /// Wakes the DMA when the port is free, unless it is to be woken then.
  void wake();
  /// Likewise where port_free() has become sooner: earlier wake-ups are void.
  void wake_again();

  /// A packet of the class's burst had its turn, and leaves TCM at `left_tcm`.
  void has_left(DmaQueue& queue, Bytes size, Time left_tcm);
  /// Packets of its burst, `bytes` in all, have left; the last leaves TCM at `left_tcm`.
  void have_left(DmaQueue& queue, Bytes bytes, Time left_tcm);
  /// Data that a request asked for is in TCM at that time.
  void data_loaded(Time at, Token token, oplog::Slices contents);
  /// All requests of the transfer are answered, or have left if they get no answer.
  void finish(Transfer& transfer);

 protected:
  [[nodiscard]] bool has_room(const DmaQueue& queue, const Transfer& sender) const {
    if (queue.burst.message != nullptr || queue.outstanding == 0_B) return true;
    const Bytes with_next = queue.outstanding + window_of(sender.next_bytes(spec_.request));
    return ceil_div(with_next.count(), spec_.request.count()) <= spec_.max_outstanding;
  }
  // Asks the policy which transfer sends next.
  static void pick(DmaQueue& queue);
  // These bytes of the sender's transfer are asked for, or leave TCM by `left_tcm`.
  void sent(DmaQueue& queue, Bytes bytes, Time left_tcm);

  Fabric& network_;
  PeDmaSpec spec_;
  ITcm* tcm_ = nullptr;
  DmaSite site_;
  RaceWatch* races_ = nullptr;
  IMoveWatch* watch_ = nullptr;
  Bandwidth port_;
  Time port_free_{};
  Mailbox<DmaWork> work_;
  std::unique_ptr<Queues> queues_;  // from the first work on
  Turn turn_;
  Token wake_ups_ = 0;  // number of the last wake-up; earlier ones are void
  bool wakes_ = false;  // a wake-up is posted for when the port is free
  DmaRequests requests_;
  std::uint64_t begun_ = 0;  // transfers
  std::uint64_t done_ = 0;   // of these
  Time busy_since_{};        // if some aren't done
  DmaUse use_;
};

}  // namespace kbsim::hw
