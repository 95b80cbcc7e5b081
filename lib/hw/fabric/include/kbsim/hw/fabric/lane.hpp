#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"

namespace kbsim::config {
struct ChipLinkSpec;
}

namespace kbsim::hw {

/// A FIFO server of one rate for packets: a direction of a link, or a memory's port. Cut-through: service
/// may start when the head is there and ends no sooner than the tail.
///   start = max(head, free), end = max(start + service(n), tail), then free = end.
/// A packet's service is its bytes over the rate; on a link from chip to chip also their frames, and at least
/// a packet's time (config::ChipLinkSpec::service()).
class Lane {
 public:
  struct Slot {
    Time start;
    Time end;
  };

  Lane() = default;
  explicit Lane(Bandwidth rate) : rate_{rate} {}
  Lane(Bandwidth rate, const config::ChipLinkSpec* framing) : rate_{rate}, framing_{framing} {}

  /// Serves in the order of the calls. `head` and `tail` include the overhead before this server.
  Slot reserve(Time head, Time tail, Bytes n) { return reserve(head, tail, n, service(n)); }
  /// The same, with the service time given by the caller.
  Slot reserve(Time head, Time tail, Bytes n, Time service) {
    const Time start = std::max(head, free_);
    account(head, start, n, service);
    worked_ = std::max(head, worked_) + service;
    free_ = std::max(start + service, tail);
    note_queue(start - head + service);
    return {start, free_};
  }
  /// Reserves `count` such packets, each `gap` after the one before it. Returns the first start and the last
  /// end.
  Slot reserve_run(Time head, Time tail, Time gap, std::int64_t count, Bytes n, Time service) {
    if (count == 1) return reserve(head, tail, n, service);
    const bool waits = head < free_ || gap < service || tail > head + gap;
    if (waits) return reserve_waiting(head, tail, gap, count, n, service);
    busy_ += count * service;
    packets_ += count;
    bytes_ += n * count;
    worked_ = head + (count - 1) * gap + service;
    free_ = std::max(worked_, tail + (count - 1) * gap);
    note_queue(service);
    return {head, free_};
  }
  /// Counts `count` packets that never wait here, each `gap` after the one before it; the last one leaves at
  /// `end`. May be called late.
  void pass_run(Time head, Time end, Time gap, std::int64_t count, Bytes n, Time service) {
    busy_ += count * service;
    packets_ += count;
    bytes_ += n * count;
    worked_ = std::max(worked_, head + (count - 1) * gap + service);
    free_ = std::max(free_, end);
    note_queue(service);
  }
  /// Serves a packet that was ready at `ready`, from `start` on, which is not before free().
  Slot serve(Time ready, Time start, Time tail, Bytes n) {
    const Time service = account(ready, start, n);
    worked_ = start + service;
    free_ = std::max(worked_, tail);
    return {start, free_};
  }
  /// Accounts for a packet that was served by other rules, from `start` on.
  void note(Bytes n, Time ready, Time start) {
    start = std::max(ready, start);
    note_queue(start - ready + account(ready, start, n));
  }
  /// Notes the work that is here now, as service time.
  void note_queue(Time work) { longest_ = std::max(longest_, work); }

  [[nodiscard]] Bandwidth rate() const { return rate_; }
  /// How long a packet of n bytes occupies the server.
  [[nodiscard]] Time service(Bytes n) const {
    return framing_ == nullptr ? rate_.serialization(n) : framed_service(n);
  }
  /// Whether a packet takes longer than its bytes over the rate.
  [[nodiscard]] bool is_framed() const { return framing_ != nullptr; }
  [[nodiscard]] Time busy() const { return busy_; }
  /// Busy time until `by`, if all packets whose head is here by then are reserved. A late tail keeps the
  /// server occupied, but not busy, after the service of the packet.
  [[nodiscard]] Time busy_until(Time by) const { return busy_ - std::max(Time{0}, worked_ - by); }
  /// When all that was reserved is served.
  [[nodiscard]] Time free() const { return free_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t packets() const { return packets_; }
  /// Waiting time of all packets served, in total.
  [[nodiscard]] Time waited() const { return waited_; }
  /// The most work that ever was here at once, waiting or in service, as the time that serving it takes.
  [[nodiscard]] Time longest_queue() const { return longest_; }
  /// As IRepeatable.
  void visit(RepeatVisitor& visitor) {
    visitor.busy_until(free_);
    visitor.busy_until(worked_);
    visitor.count(busy_);
    visitor.count(waited_);
    visitor.count(packets_);
    visitor.count(bytes_);
  }

 private:
  [[nodiscard]] Time framed_service(Bytes n) const;
  Slot reserve_waiting(Time head, Time tail, Time gap, std::int64_t count, Bytes n, Time service);
  Time account(Time ready, Time start, Bytes n) {
    const Time takes = service(n);
    account(ready, start, n, takes);
    return takes;
  }
  void account(Time ready, Time start, Bytes n, Time service) {
    busy_ += service;
    waited_ += start - ready;
    ++packets_;
    bytes_ += n;
  }

  Bandwidth rate_;
  const config::ChipLinkSpec* framing_ = nullptr;
  Time free_{};
  Time worked_{};  // like free_, if no tail had been late
  Time busy_{};
  Time waited_{};
  Time longest_{};
  std::int64_t packets_ = 0;
  Bytes bytes_;
};

}  // namespace kbsim::hw
