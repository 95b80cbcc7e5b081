#pragma once

#include <compare>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Kind of work of a span. Among spans of one track with the same times, the smaller kind encloses the
/// larger.
enum class SpanKind : std::uint8_t {
  program,     // of a rank
  call,        // of a host program, from its call to its end
  collective,  // on one rank, `count` of them
  phase,       // of a collective: dispatch, kernel, report
  order,       // of the host, to `count` targets
  kernel,      // on a PE
  range,       // of a kernel, by tl.range, or of a rank's program, by rk.range
  wait,        // of a kernel, for what it has awaited
  issue,       // of a command, by pe_cpu
  work,        // of an engine
  transfer,    // of a DMA
  send,        // waits in pe_ipcq for a slot
  receive,     // waits in pe_ipcq for a tile
  port,        // of a memory, for `count` packets
  link,        // one direction, for `count` packets
};

/// One end of an arrow from a span to another that follows from it; both ends have the same key.
struct SpanFlow {
  enum class Kind : std::uint8_t { none, launch, message };
  Kind kind = Kind::none;
  std::uint64_t a = 0;  // order; ring
  std::uint64_t b = 0;  // target; sequence
  friend auto operator<=>(const SpanFlow&, const SpanFlow&) = default;
};

/// One piece of work, by whom and when. Its texts need not outlive the call that takes it.
struct Span {
  SpanKind kind = SpanKind::work;
  NodeId unit;                 // none: a link's, or a rank's
  LinkId link;                 // none: another's
  int rank = -1;               // none: another's
  std::string_view part = {};  // port of a unit with several ports; dtype of a collective
  std::string_view what = {};
  std::string_view detail = {};
  std::source_location at = {};  // the line of a kernel or host program; line 0: none
  Time ready{};                  // when it could have begun if uncontended
  Time start{};
  Time end{};
  Bytes bytes = {};
  std::uint64_t count = 0;
  std::uint64_t id = 0;  // message, operation or order; for a collective, its elements on this rank
  int group = 0;         // of a collective
  SpanFlow from = {};    // the span that it follows from
  SpanFlow to = {};      // the span that follows from it; for an order, the first of `count`, by ascending b
};

/// A packet over a link: the most frequent span, with fewer members. Its text stays valid.
struct LinkSpan {
  LinkId link;
  std::string_view what;
  Time ready{};
  Time start{};
  Time end{};
  Bytes bytes = {};
  std::uint64_t id = 0;
  [[nodiscard]] Span whole() const {
    return {.kind = SpanKind::link,
            .link = link,
            .what = what,
            .ready = ready,
            .start = start,
            .end = end,
            .bytes = bytes,
            .count = 1,
            .id = id};
  }
};

/// Places taken or given back: slots of a ring as its sender knows them, room in the queues at the end of a
/// link, or bytes of a TCM that tiles hold.
struct Taken {
  NodeId unit;                 // the pe_ipcq that sends, or the pe_tcm; none: a link's
  LinkId link;                 // the link whose credits they are, in bytes
  std::string_view part = {};  // queue of the pe_ipcq
  Time at{};                   // now, or later if given back
  std::int64_t change = 0;     // below 0: given back
  std::int64_t all = 0;        // total number of places
};

/// Takes the spans of a run, in no order. Units that make spans use Fabric::spans(); nullptr: no spans are
/// taken.
class ISpans {
 public:
  virtual ~ISpans();

  virtual void add(const Span& span) = 0;
  /// A span that ends later: close() ends the one with the same `key`. Without close() it lasts until the run
  /// ends. A flow that is known only at the end is that of a send or a receive.
  virtual void open(const void* key, const Span& span) = 0;
  virtual void close(const void* key, Time end, const SpanFlow& flow = {}) = 0;
  /// Default: does nothing, for takers that show no levels.
  virtual void take(const Taken& /*what*/) {}
  virtual void add_packet(const LinkSpan& span) { add(span.whole()); }
};

}  // namespace kbsim::hw
