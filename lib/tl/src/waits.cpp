#include "kbsim/tl/waits.hpp"

#include <fmt/format.h>

namespace kbsim {
namespace {

constexpr std::string_view kOn = " on ";
constexpr std::string_view kStalled = " that wait for TCM";

// What comes after the last " on ", if that is a PE and nothing else.
std::string name_of(const std::string& process) {
  const std::size_t on = process.rfind(" on sip");
  const std::string place = on == std::string::npos ? "" : process.substr(on + kOn.size());
  return place.empty() || place.find(' ') != std::string::npos ? process : place;
}

}  // namespace

std::string stalled_name(std::string_view kernel, PeCoord pe) {
  return fmt::format("the commands of {}{}{}{}", kernel, kOn, to_string(pe), kStalled);
}

Waits::Waits(const std::vector<Waiting>& waiting) {
  for (const Waiting& one : waiting) {
    const std::string name = name_of(one.process);
    by_name_[name] = processes_.size();
    processes_.push_back({.name = name, .waiting = one});
    if (one.process.ends_with(kStalled))
      stalled_.insert(name_of(one.process.substr(0, one.process.size() - kStalled.size())));
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
