#include "kbsim/explain/path.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/explain/keys.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/sim/kernel_lines.hpp"

#include "segments.hpp"

namespace kbsim::explain {
namespace {

using hw::Reason;

bool is_wait(Reason reason) { return reason >= Reason::window_free; }

bool is_free(Reason reason) {
  return reason == Reason::link_free || reason == Reason::port_free || reason == Reason::engine_free ||
         reason == Reason::bank_free;
}

// How long a packet occupies a link.
Time service(const topology::Link& link, Bytes packet) {
  return link.framing == nullptr ? serialization(packet, link.bandwidth) : link.framing->service(packet);
}

// Walks from the end to the beginning.
class Walk {
 public:
  Walk(const Causes& causes, const hw::Machine& machine, const OpMarks* marks, Time begin, Time end)
      : causes_{causes},
        machine_{machine},
        marks_{marks},
        path_{.begin = begin, .end = end, .segments = {}},
        front_{end} {}

  Path from(std::uint32_t id) {
    for (; causes_.moments()[id].at > path_.begin; id = causes_.moments()[id].parent) {
      const Moment& moment = causes_.moments()[id];
      if (moment.parent == 0) lost(moment);
      path_.steps = path_.steps || moment.stepped || goes_in_steps(static_cast<Reason>(moment.why.reason));
      if (marks_ != nullptr) enter(causes_.moments().mark(id), moment.at);
      step(moment, std::max(path_.begin, causes_.moments()[moment.parent].at));
    }
    std::ranges::reverse(path_.segments);
    return std::move(path_);
  }

 private:
  // Marks the operation that ends here; none once the time is before its call.
  void enter(std::uint32_t mark, Time at) {
    if (mark != 0) op_ = mark;
    if (op_ != 0 && at <= marks_->called(marks_->id(op_))) op_ = 0;
  }

  void step(const Moment& moment, Time from) {
    const auto reason = static_cast<Reason>(moment.why.reason);
    path_.ties += moment.tied ? 1 : 0;
    if (moment.why.reason == kLatest) return;
    if (reason == Reason::unexplained) lost(moment);
    if (is_wait(reason)) {
      waits_.push_back(
          {.reason = reason, .place = moment.why.place, .since = moment.at - Time{moment.why.amount}});
    } else if (is_free(reason)) {
      others_ = true;
    } else {
      add(moment, reason, from);
    }
  }

  void add(const Moment& moment, Reason reason, Time from) {
    Segment segment{.from = from,
                    .to = moment.at,
                    .reason = reason,
                    .place = moment.why.place,
                    .amount = moment.why.amount,
                    .count = from > moment.at ? -1 : std::int64_t{moment.count},
                    .line = moment.why.line,
                    .op = op_,
                    .others = others_,
                    .cut = from > causes_.moments()[moment.parent].at};
    if (moment.count > 1 && !others_) {
      // The last of the run is the moment's own; the others were before it.
      const Time each = (segment.to - causes_.moments()[moment.parent].at) / moment.count;
      Segment own = segment;
      own.from = std::max(segment.from, segment.to - each);
      own.count = 1;
      push(own);
      segment.to = own.from;
      segment.count = moment.count - 1;
      segment.others = true;
    }
    if (reason == Reason::hop) {
      for (const Segment& part : split_hop(segment, machine_)) push(part);
    } else {
      push(segment);
    }
    others_ = moment.why.queued;
  }

  void push(const Segment& segment) {
    if (!segment.cut) require_exact(segment);
    if (segment.length() == Time{0} && segment.cut) return;
    if (segment.count < 0 || segment.to > front_) return push_behind(segment);
    front_ = segment.from;
    note_waits(segment);
    path_.segments.push_back(segment);
  }

  // The segment goes back in time or ends later than the path's front; only its part before the front is on
  // the path.
  void push_behind(const Segment& segment) {
    path_.unseen.push_back(segment);
    if (segment.count < 0 || segment.from >= front_) return;
    Segment rest = segment;
    rest.to = front_;
    rest.cut = true;
    push(rest);
  }

  // A part belongs to the innermost wait.
  void note_waits(const Segment& segment) {
    Time to = segment.to;
    while (!waits_.empty() && to > segment.from) {
      const Wait& last = waits_.back();
      const Time from = std::max(segment.from, last.since);
      if (from < to) {
        path_.waits[static_cast<std::size_t>(last.reason)] += to - from;
        path_.during_waits[{last.reason, last.place}][class_of(segment.reason)] += to - from;
      }
      to = std::min(to, from);
      if (last.since < segment.from) return;
      waits_.pop_back();
    }
  }

  void require_exact(const Segment& segment) const {
    const Time expected = segment.count * expected_length(segment);
    if (expected == segment.length()) return;
    throw InternalError{fmt::format("the cause of {} is off: reason {} at place {} takes {}, not {}",
                                    to_string(segment.to), static_cast<int>(segment.reason), segment.place,
                                    to_string(expected), to_string(segment.length()))};
  }

  // The segment's expected length, for reasons whose time follows from the machine's graph and components.
  [[nodiscard]] Time expected_length(const Segment& segment) const {
    const topology::Graph& graph = machine_.graph();
    const NodeId node{segment.place};
    const LinkId link{segment.place};
    switch (segment.reason) {
      case Reason::overhead: return machine_.component(node).overhead();
      case Reason::wire: return graph.link(link).wire;
      case Reason::serialization: return service(graph.link(link), Bytes{segment.amount});
      case Reason::access: return memory(node).latency(false);
      case Reason::port: return serialization(Bytes{segment.amount}, memory(node).read_rate());
      case Reason::write_port: return serialization(Bytes{segment.amount}, memory(node).write_rate());
      case Reason::dma_port: return serialization(Bytes{segment.amount}, graph.spec().pe.link);
      case Reason::step: return 1_ps;
      case Reason::column:
      case Reason::data_bus:
      case Reason::bank:
      case Reason::turnaround:
      case Reason::refresh: return delay(segment);
      default: return segment.length() / segment.count;
    }
  }

  // The length of a single part.
  [[nodiscard]] Time delay(Segment segment) const {
    segment.count = 1;
    Time all{};
    for (const Term& term : terms_of(segment, machine_)) all += term.shared ? Time{0} : term.time;
    return all;
  }

  [[nodiscard]] const hw::Memory& memory(NodeId node) const {
    return dynamic_cast<const hw::Memory&>(machine_.component(node));
  }

  [[noreturn]] void lost(const Moment& moment) const {
    throw Unsupported{
        fmt::format("--explain: the cause of {} isn't recorded{}; a host program or a component of "
                    "your own records it by Causes::because()",
                    to_string(moment.at), path_.segments.empty() ? what_was_before(moment) : what_follows())};
  }
  // The error names the place that follows; its component lacks the cause.
  [[nodiscard]] std::string what_follows() const {
    const Segment& next = path_.segments.back();
    return fmt::format(", when {} begins at {}", reason_name(next), place_name(next, machine_.graph()));
  }
  // Nothing follows, so the error names the previous place on the path.
  [[nodiscard]] std::string what_was_before(const Moment& moment) const {
    for (std::uint32_t id = moment.parent; id != 0; id = causes_.moments()[id].parent) {
      const Moment& before = causes_.moments()[id];
      if (static_cast<Reason>(before.why.reason) == Reason::unexplained || before.parent == 0) break;
      const std::vector<Segment> parts = segments_of(before, causes_.moments()[before.parent].at, machine_);
      if (parts.empty()) continue;  // it waited for something else
      return fmt::format(", {} after {} at {}", to_string(moment.at - before.at), reason_name(parts.front()),
                         place_name(parts.front(), machine_.graph()));
    }
    return "";
  }

  struct Wait {
    Reason reason;
    std::uint32_t place;
    Time since;
  };
  const Causes& causes_;
  const hw::Machine& machine_;
  const OpMarks* marks_;
  Path path_;
  std::vector<Wait> waits_;  // the last is the innermost
  bool others_ = false;
  Time front_;  // earlier moments aren't on the path yet
  std::uint32_t op_ = 0;
};

}  // namespace

bool goes_in_steps(Reason reason) {
  return reason == Reason::refresh_wait || reason == Reason::clock_edge || reason == Reason::poll_wait;
}

std::vector<Segment> split_hop(const Segment& hop, const hw::Machine& machine) {
  const topology::Link& link = machine.graph().link(LinkId{hop.place});
  Segment overhead = hop;
  overhead.reason = Reason::overhead;
  overhead.place = link.to.value();
  overhead.from = std::max(hop.from, hop.to - machine.component(link.to).overhead());
  Segment wire = hop;
  wire.reason = Reason::wire;
  wire.to = overhead.from;
  overhead.cut = hop.cut && wire.to == hop.from;
  return {overhead, wire};
}

std::vector<Segment> segments_of(const Moment& moment, Time from, const hw::Machine& machine) {
  const auto reason = static_cast<Reason>(moment.why.reason);
  if (moment.why.reason == kLatest || reason == Reason::unexplained || is_wait(reason) || is_free(reason))
    return {};
  const Segment whole{.from = from,
                      .to = moment.at,
                      .reason = reason,
                      .place = moment.why.place,
                      .amount = moment.why.amount,
                      .count = from > moment.at ? -1 : 1,
                      .line = moment.why.line};
  if (reason == Reason::hop) return split_hop(whole, machine);
  return {whole};
}

std::string line_name(const Causes& causes, std::uint32_t number) {
  if (number == 0) return "";
  const KernelLine& line = causes.lines().line(number);
  return fmt::format("{}:{}", line.file, line.line);
}

Path path_to(const Cause& end, Time begin, const hw::Machine& machine, const OpMarks* marks) {
  ensure(static_cast<bool>(end), "a path has an end");
  return Walk{*machine.sim().causes(), machine, marks, begin, end.at()}.from(end.id());
}

Path part_before(Time end, const Path& path) {
  Path part{.begin = path.begin, .end = end, .segments = {}, .steps = path.steps, .ties = path.ties};
  for (Segment segment : path.segments) {
    if (segment.from >= end) break;
    segment.cut = segment.cut || segment.to > end;
    segment.to = std::min(segment.to, end);
    part.segments.push_back(segment);
  }
  return part;
}

}  // namespace kbsim::explain
