#include "host_waits.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kbsim/hw/pe/pe_cpu.hpp"

namespace kbsim::host {
namespace {

using ByAwaited = std::map<std::string, std::string>;  // who waits for which event

ByAwaited by_awaited(const Waits& waits) {
  ByAwaited who;
  for (const Waits::Process& process : waits.processes()) who[process.waiting.what] = process.name;
  return who;
}

void add_end(Waits& waits, const std::string& from, const std::string& of) {
  waits.add(from, of, fmt::format("{} ← {}: has not ended", from, of));
}

// A work's event is called as its process is.
void add_works(Waits& waits) {
  for (const Waits::Process& process : waits.processes()) {
    const std::string& what = process.waiting.what;
    const std::string work = what.starts_with("event ") ? what.substr(6) : "";
    if (waits.runs(work)) add_end(waits, process.name, work);
  }
}

void add_spawned(Waits& waits, const std::set<int>& ranks) {
  for (const Waits::Process& process : waits.processes()) {
    if (process.waiting.what != std::string{"event "} + kRanksEnd) continue;
    for (const int rank : ranks) {
      const std::string name = rank_name(rank);
      if (waits.runs(name) && name != process.name) add_end(waits, process.name, name);
    }
  }
}

const std::string& kernel_of(const hw::ControlTarget& target) {
  return std::get<hw::Launch>(target.action).kernel->name;
}

void add_launch(Waits& waits, hw::Machine& machine, const std::string& from, const hw::ControlJob& job) {
  for (const hw::ControlTarget& target : job.targets) {
    if (!std::holds_alternative<hw::Launch>(target.action)) continue;
    const auto& cpu = machine.at<hw::PeCpu>(machine.graph().pe(target.pe).cpu);
    const bool runs = cpu.runs(job);
    if (!runs && !cpu.queues(job)) continue;
    const std::string pe = to_string(target.pe);
    waits.add(from, pe,
              fmt::format("{} launch of {} ← {}: {}", from, kernel_of(target), pe,
                          runs ? "has not returned" : "has not begun, behind another kernel"));
  }
}

void add_launches(Waits& waits, hw::Machine& machine) {
  const ByAwaited who = by_awaited(waits);
  for (const hw::OpenOrder& order : machine.host().open_orders()) {
    const auto found = who.find("event " + order.awaited);
    if (found != who.end()) add_launch(waits, machine, found->second, *order.job);
  }
}

void add_collectives(Waits& waits, const World& world) {
  for (const PartialCollective& collective : world.partial_collectives()) {
    for (const std::string& begun : collective.begun) {
      if (!waits.runs(begun)) continue;
      for (const int missing : collective.missing) {
        const std::string rank = rank_name(missing);
        waits.add(begun, rank,
                  fmt::format("{} ← {}: has not called it{}", begun, rank,
                              waits.runs(rank) ? "" : ", and does not run"));
      }
    }
  }
}

}  // namespace

void add_host_waits(Waits& waits, hw::Machine& machine, const std::vector<const Rank*>& ranks) {
  std::set<int> indices;
  std::vector<const World*> worlds;
  for (const Rank* rank : ranks) {
    indices.insert(rank->index);
    if (std::ranges::find(worlds, &rank->world()) == worlds.end()) worlds.push_back(&rank->world());
  }
  add_spawned(waits, indices);
  add_works(waits);
  for (const World* world : worlds) add_collectives(waits, *world);
  add_launches(waits, machine);
}

}  // namespace kbsim::host
