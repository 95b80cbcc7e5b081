// Every algorithm of configs/ccl.yaml on machines.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "collectives.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

void check_right_on_machine(const Collective& c) {
  CAPTURE(c.algorithm.name);
  CAPTURE(c.algorithm.buffer_kind);
  CAPTURE(c.machine.system.sips.count);
  CAPTURE(c.algorithm.n_slots);
  CAPTURE(c.n_elem);
  const PerRank in = inputs(c);
  const PerRank out = on_machine(c, in);
  REQUIRE(out == expected(c, in));
}

}  // namespace

TEST_CASE("Collectives on the machine: each algorithm is right in worlds of 1 to 9, one slot and more") {
  for (const std::string& name : algorithm_names()) {
    for (const int world : {1, 2, 3, 4, 9}) {
      check_right_on_machine(collective(name, machine_of(world), 1, 7));
      check_right_on_machine(collective(name, machine_of(world), 2, 600));
      check_right_on_machine(collective(name, machine_of(world), 4, 1));
    }
  }
}

TEST_CASE("Collectives on the machine: intercube and hierarchical on meshes of cubes and grids of packages") {
  for (const char* name : {"intercube_allreduce", "hierarchical_allreduce"}) {
    for (const auto& [w, h] : {std::pair{1, 3}, {3, 2}}) {
      for (const config::SipTopology joined : {config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                                               config::SipTopology::mesh_2d_no_wrap}) {
        config::MachineSpec machine = machine_of(4, w, h);
        machine.system.sips.topology = joined;
        CAPTURE(joined);
        check_right_on_machine(collective(name, machine, 1, 200));
      }
    }
  }
}

TEST_CASE("Collectives on the machine: each algorithm is right whatever joins the packages") {
  for (const std::string& name : algorithm_names()) {
    for (const config::SipTopology joined :
         {config::SipTopology::torus_2d, config::SipTopology::mesh_2d_no_wrap}) {
      for (const int world : {2, 4, 6, 9}) {
        config::MachineSpec machine = machine_of(world);
        machine.system.sips.topology = joined;
        CAPTURE(joined);
        check_right_on_machine(collective(name, machine, 1, 300));
      }
    }
  }
}

TEST_CASE("Collectives on the machine: every reduction, and each dtype") {
  for (const std::string& name : algorithm_names()) {
    Collective c = collective(name, machine_of(4), 2, 100);
    for (const Reduction op : {Reduction::max, Reduction::min, Reduction::prod, Reduction::avg}) {
      c.op = op;
      c.dtype = op == Reduction::avg ? DType::bf16 : op == Reduction::prod ? f32 : DType::i32;
      CAPTURE(static_cast<int>(op));
      check_right_on_machine(c);
    }
  }
}

// Vectors below, at and above each window; slots small and large against the TCM. None overflows it.
TEST_CASE("Collectives on the machine: windows and what is under way fit the TCM, whatever their sizes") {
  constexpr int kEvery = kbsim::test::kSanitized ? 59 : 5;  // of no common divisor with the loops
  int number = 0;
  for (const std::string& name : algorithm_names()) {
    for (const config::BufferKind kind : {config::BufferKind::tcm, config::BufferKind::hbm}) {
      for (const Bytes slot : {64_B, 512_B, 2_KiB}) {
        for (const std::int64_t n : {500, 2'900, 9'001}) {
          for (const config::SipTopology joined :
               {config::SipTopology::ring_1d, config::SipTopology::mesh_2d_no_wrap}) {
            if (++number % kEvery != 0) continue;
            Collective c = collective(name, machine_of(number % 4 == 0 ? 6 : 4, 1, 2), 1 + number % 3, n);
            c.machine.system.sips.topology = joined;
            c.machine.cube.memory.tcm = 80_KiB;
            c.machine.cube.memory.tcm_scheduler = 28_KiB;
            c.algorithm.buffer_kind = kind;
            c.algorithm.slot_size = slot;
            c.dtype = number % 2 == 0 ? DType::bf16 : DType::i32;
            CAPTURE(slot.count());
            CAPTURE(joined);
            check_right_on_machine(c);
          }
        }
      }
    }
  }
}

// One case in 5; with sanitizers one in 97.
TEST_CASE("Collectives on the machine: every kernel, memory of slots, world, number of slots and size") {
  constexpr int kEvery = kbsim::test::kSanitized ? 97 : 5;  // of no common divisor with the loops
  std::set<std::string> seen;
  int number = 0;
  for (const std::string& name : algorithm_names()) {
    if (!seen.insert(algorithm_of(name).kernel).second) continue;
    for (const config::BufferKind kind :
         {config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram}) {
      for (const int world : {1, 2, 3, 4, 6, 7, 8, 9, 16}) {
        for (const int slots : {1, 2, 4}) {
          for (const std::int64_t n : {1, 7, 8, 1000}) {
            if (++number % kEvery != 0) continue;
            Collective c = collective(name, machine_of(world), slots, n);
            c.algorithm.buffer_kind = kind;
            check_right_on_machine(c);
          }
        }
      }
    }
  }
}
