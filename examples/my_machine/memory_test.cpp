// mine.narrow_writes and mine.turnaround: exact times of a few requests, and kbsim's conformance suite.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <kbsim/hw/conformance/conformance.hpp>
#include <kbsim/hw/control/i_host.hpp>
#include <kbsim/hw/memory/memory_model.hpp>

namespace {

using namespace kbsim;
using hw::MemoryOp;

std::shared_ptr<const config::MachineSpec> machine_with(const std::string& memory) {
  config::MachineSpec spec;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.hbm_ctrl = {.impl = memory, .attrs = {{"access_ns", 30.0}}};
  return std::make_shared<const config::MachineSpec>(spec);
}

/// When each request is served, by the timing model alone. All arrive at 0, each of 256 bytes: 1 ns of the
/// raw bandwidth.
std::vector<Time> served(const std::string& memory, const std::vector<MemoryOp>& requests) {
  const topology::Graph graph = topology::compile(machine_with(memory));
  const auto timing = hw::memory_models().at(memory)(hw::memory_site(graph, graph.cube(0, 0).hbm.front()));
  std::vector<Time> ends;
  for (const MemoryOp op : requests) ends.push_back(timing->serve({.op = op, .bytes = 256_B}).end);
  return ends;
}

bool narrow_writes() {
  const auto ends = served("mine.narrow_writes", {MemoryOp::write, MemoryOp::write, MemoryOp::read});
  return ends == std::vector{30_ns + 4_ns, 30_ns + 4_ns + 4_ns, 30_ns + 1_ns};
}

bool turnaround() {
  const auto ends = served("mine.turnaround", {MemoryOp::read, MemoryOp::write, MemoryOp::write});
  return ends == std::vector{30_ns + 1_ns, 31_ns + 7_ns + 1_ns, 39_ns + 1_ns};
}

// A rank writes a part of the memory and reads it back.
Task<> write_and_read(hw::Machine* machine, int rank, NodeId memory, std::vector<Time>* ends) {
  constexpr std::int64_t kBytes = 20'000;
  hw::IHost& host = hw::host_of(*machine);
  co_await host.write(rank, memory, rank * kBytes, {.value = {}, .offset = 0, .bytes = kBytes});
  ends->push_back(machine->sim().now());
  co_await host.read(rank, memory, rank * kBytes, Bytes{kBytes});
  ends->push_back(machine->sim().now());
}

/// Events that the shortcut saves; throws if it changes anything else.
std::uint64_t conformance(const std::string& memory) {
  return hw::check_conformance(machine_with(memory), [](hw::Machine& machine) {
    std::vector<Time> ends;
    const NodeId slice = machine.graph().cube(0, 0).hbm.front();
    for (const int rank : {0, 1})
      (void)machine.sim().spawn("host program", write_and_read(&machine, rank, slice, &ends));
    machine.run();
    return ends;
  });
}

bool say(const std::string& what, bool right) {
  std::printf("%s: %s\n", what.c_str(), right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() try {
  bool right = say("mine.narrow_writes, exact times", narrow_writes());
  right = say("mine.turnaround, exact times", turnaround()) && right;
  for (const std::string memory : {"mine.narrow_writes", "mine.turnaround"}) {
    const std::uint64_t saved = conformance(memory);
    right = say(memory + ", the same with " + std::to_string(saved) + " events fewer", saved > 0) && right;
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
