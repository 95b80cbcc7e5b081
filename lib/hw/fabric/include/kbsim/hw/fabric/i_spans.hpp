#pragma once

#include <compare>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// What kind of work a span is. Of spans of one track and the same times, the smaller kind lies outside.
enum class SpanKind : std::uint8_t {
  program,     // of a rank
  call,        // of a host program, from its call to its end
  collective,  // on one rank, `count` of them
  phase,       // of a collective: dispatch, kernel, report
  order,       // of the host, to `count` targets
  kernel,      // on a PE
  range,       // of a kernel, by tl.range
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

/// Who did what from when to when. Its texts need not outlive the call that is given it.
struct Span {
  SpanKind kind = SpanKind::work;
  NodeId unit;                 // none: a link's, or a rank's
  LinkId link;                 // none: another's
  int rank = -1;               // none: another's
  std::string_view part = {};  // of a unit its port, if it has several; of a collective its dtype
  std::string_view what = {};
  std::string_view detail = {};
  std::source_location at = {};  // the line of a kernel or host program; line 0: none
  Time ready{};                  // when it could have begun, if nobody else had been served
  Time start{};
  Time end{};
  Bytes bytes = {};
  std::uint64_t count = 0;
  std::uint64_t id = 0;  // of the message, operation or order; of a collective its elements on this rank
  int group = 0;         // of a collective
  SpanFlow from = {};    // whatever it follows from
  SpanFlow to = {};      // what follows from it; of an order the first of `count`, by ascending b
};

/// A packet over a link: a span with fewer members, of which there are most. Its text stays where it is.
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

/// Places that are taken, or given back: slots of a ring as its sender knows them, or room behind a link.
struct Taken {
  NodeId unit;                 // the pe_ipcq that sends; none: a link's
  LinkId link;                 // whose credits they are, in bytes
  std::string_view part = {};  // of a unit its queue
  Time at{};                   // now; or, of what is given back, later
  std::int64_t change = 0;     // below 0: given back
  std::int64_t all = 0;        // that there are
};

/// Takes the spans of a run, in no order. Whoever makes spans asks Fabric::spans() whether anybody takes
/// them.
class ISpans {
 public:
  virtual ~ISpans();

  virtual void add(const Span& span) = 0;
  /// A span whose end is to come; whoever ends it names it by the same address. If nobody does, it lasts
  /// until the run ends. A flow that is known at the end only is that of a send, or of a receive.
  virtual void open(const void* key, const Span& span) = 0;
  virtual void close(const void* key, Time end, const SpanFlow& flow = {}) = 0;
  /// Whoever shows no levels does nothing.
  virtual void take(const Taken& /*what*/) {}
  virtual void add_packet(const LinkSpan& span) { add(span.whole()); }
};

}  // namespace kbsim::hw
