#pragma once

#include <cstdint>
#include <deque>

#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"

namespace kbsim::hw {

/// Where the time of all messages went.
struct Attribution {
  std::int64_t messages = 0;
  Split split;
};

/// Messages of a process so far, for the audit.
struct MessageCounts {
  std::int64_t opened = 0;
  Attribution arrived;
  Time under_way{};  // sum of head times at targets minus sum of head times at sources

  /// As IRepeatable.
  void visit(RepeatVisitor& visitor) {
    visitor.count(opened);
    visitor.count(under_way);
    visitor.count(arrived.messages);
    arrived.split.visit(visitor);
  }
};

/// Records of messages and packets for reports: traces of messages, spans of links. Cost nothing unless asked
/// for.
class FabricObservers {
 public:
  /// In order of arrival. Equal runs give equal traces, except for the order of those of one time.
  [[nodiscard]] const std::deque<MessageTrace>& traces() const { return traces_; }
  /// Units write their spans there; nullptr: no spans are taken.
  [[nodiscard]] ISpans* spans() const { return spans_; }
  [[nodiscard]] bool traces_messages() const { return (notes_ & kTraces) != 0; }

 protected:
  ~FabricObservers() = default;
  void note_messages() { notes_ |= kTraces; }
  void note_spans(ISpans* spans);
  // Packet::noted of the next packet of a message.
  [[nodiscard]] std::uint8_t notes_of(bool is_last) const { return is_last ? notes_ : notes_ & kSpans; }
  // `overhead`: of the node before the link.
  void note_hop(const Packet& packet, LinkId id, const LiveLink& link, Time overhead, const Lane::Slot& slot);
  void note_arrival(const Message& message, const Split& parts, Time arrival);

 private:
  static constexpr std::uint8_t kTraces = 1;  // hops of the last packet of each message
  static constexpr std::uint8_t kSpans = 2;
  std::uint8_t notes_ = 0;
  ISpans* spans_ = nullptr;
  std::deque<MessageTrace> traces_;
};

}  // namespace kbsim::hw
