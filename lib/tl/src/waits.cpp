#include "kbsim/tl/waits.hpp"

#include <fmt/format.h>

namespace kbsim {
namespace {

// A process without an identity, named by its place among the waiting processes.
struct Unidentified {
  std::size_t place = 0;
  [[nodiscard]] std::string text() const { return fmt::format("process {}", place); }
  friend auto operator<=>(const Unidentified&, const Unidentified&) = default;
};

}  // namespace

std::string stalled_name(std::string_view kernel, PeCoord pe) {
  return fmt::format("the commands of {} on {} that wait for TCM", kernel, to_string(pe));
}

Waits::Waits(const std::vector<Waiting>& waiting) {
  for (const Waiting& one : waiting) {
    const Identity who = one.who ? one.who : Unidentified{processes_.size()};
    by_id_[who] = processes_.size();
    processes_.push_back({.who = who, .name = one.who ? who.text() : one.process, .waiting = one});
  }
}

Identity Waits::awaited(const Identity& who) const {
  const auto process = by_id_.find(who);
  return process == by_id_.end() ? Identity{} : processes_[process->second].waiting.awaits;
}

void Waits::add(const Identity& from, const Identity& to, std::string why) {
  const std::size_t begin = node(from);
  graph_.edges.push_back({.from = begin, .to = node(to), .why = std::move(why)});
}

void Waits::add_unknown(const Identity& from, std::string why) {
  graph_.unknown.push_back({.from = node(from), .why = std::move(why)});
}

void Waits::add_counters(const Identity& of, WaitGraph::Counters counters) {
  graph_.nodes[node(of)].counters.push_back(std::move(counters));
}

std::size_t Waits::node(const Identity& who) {
  const auto [found, fresh] = nodes_.try_emplace(who, graph_.nodes.size());
  if (!fresh) return found->second;
  const auto process = by_id_.find(who);
  if (process == by_id_.end()) {
    graph_.nodes.push_back({.name = who.text(), .waiting = {}, .counters = {}});
  } else {
    const Process& running = processes_[process->second];
    graph_.nodes.push_back({.name = running.name, .waiting = running.waiting, .counters = {}});
  }
  return found->second;
}

}  // namespace kbsim
