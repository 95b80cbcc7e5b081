#include "kbsim/tl/waits.hpp"

namespace kbsim {
namespace {

std::string name_of(const Waiting& waiting) {
  const std::size_t on = waiting.process.rfind(" on sip");
  return on == std::string::npos ? waiting.process : waiting.process.substr(on + 4);
}

}  // namespace

Waits::Waits(const std::vector<Waiting>& waiting) {
  for (const Waiting& one : waiting) {
    by_name_[name_of(one)] = processes_.size();
    processes_.push_back({.name = name_of(one), .waiting = one});
  }
}

std::string_view Waits::awaited(const std::string& name) const {
  const auto process = by_name_.find(name);
  return process == by_name_.end() ? "" : std::string_view{processes_[process->second].waiting.what};
}

void Waits::add(const std::string& from, const std::string& to, std::string why) {
  const std::size_t begin = node(from);
  graph_.edges.push_back({.from = begin, .to = node(to), .why = std::move(why)});
}

void Waits::add_unknown(const std::string& from, std::string why) {
  graph_.unknown.push_back({.from = node(from), .why = std::move(why)});
}

void Waits::add_counters(const std::string& of, WaitGraph::Counters counters) {
  graph_.nodes[node(of)].counters.push_back(std::move(counters));
}

std::size_t Waits::node(const std::string& name) {
  const auto [found, fresh] = nodes_.try_emplace(name, graph_.nodes.size());
  if (!fresh) return found->second;
  WaitGraph::Node node{.name = name, .waiting = {}, .counters = {}};
  if (const auto process = by_name_.find(name); process != by_name_.end())
    node.waiting = processes_[process->second].waiting;
  graph_.nodes.push_back(std::move(node));
  return found->second;
}

}  // namespace kbsim
