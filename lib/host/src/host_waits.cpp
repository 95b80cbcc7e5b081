#include "host_waits.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/pe/i_cpu.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {
namespace {

void add_end(Waits& waits, const Waits::Process& from, const Identity& of) {
  waits.add(from.who, of, fmt::format("{} ← {}: has not ended", from.name, of.text()));
}

void add_works(Waits& waits) {
  for (const Waits::Process& process : waits.processes()) {
    const auto* work = process.waiting.awaits.as<WorkId>();
    if (work == nullptr || !waits.runs(*work)) continue;
    add_end(waits, process, *work);
    if (process.who.as<WorkId>() == nullptr) waits.add_caller(process.who);
  }
}

void add_spawned(Waits& waits, const std::set<int>& ranks) {
  for (const Waits::Process& process : waits.processes()) {
    if (process.waiting.awaits != RanksEnd{}) continue;
    for (const int rank : ranks) {
      const RankProgram program{rank};
      if (waits.runs(program) && process.who != program) add_end(waits, process, program);
    }
  }
}

const std::string& kernel_of(const hw::ControlTarget& target) {
  return std::get<hw::Launch>(target.action).kernel->name;
}

void add_launch(Waits& waits, hw::Machine& machine, const Waits::Process& from, const hw::ControlJob& job) {
  for (const hw::ControlTarget& target : job.targets) {
    if (!std::holds_alternative<hw::Launch>(target.action)) continue;
    const auto& cpu = machine.at<hw::ICpu>(machine.graph().pe(target.pe).cpu);
    const bool runs = cpu.runs(job);
    if (!runs && !cpu.queues(job)) continue;
    waits.add(from.who, KernelOn{target.pe},
              fmt::format("{} launch of {} ← {}: {}", from.name, kernel_of(target), to_string(target.pe),
                          runs ? "has not returned" : "has not begun, another kernel runs"));
  }
}

void add_launches(Waits& waits, hw::Machine& machine) {
  std::map<Identity, const Waits::Process*> waiting;  // by the identity that they await
  for (const Waits::Process& process : waits.processes()) waiting[process.waiting.awaits] = &process;
  for (const hw::OpenOrder& order : hw::host_of(machine).open_orders()) {
    const auto found = waiting.find(order.wait);
    if (found != waiting.end()) add_launch(waits, machine, *found->second, *order.job);
  }
}

void add_collectives(Waits& waits, const World& world) {
  for (const PartialCollective& collective : world.partial_collectives()) {
    for (const WorkId& begun : collective.begun) {
      if (!waits.runs(begun)) continue;
      for (const int missing : collective.missing) {
        const RankProgram rank{missing};
        waits.add(begun, rank,
                  fmt::format("{} ← {}: has not called it{}", begun.text(), rank.text(),
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
