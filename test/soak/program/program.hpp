#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/tl/ptr.hpp"

/// Random programs of PEs: they load, compute, store, send and receive, and some of them get stuck.
namespace kbsim::soak {

/// One queue pair between two PEs; each has its own name for it.
struct Wire {
  PeCoord a, b;
  std::string name_at_a, name_at_b;
};

struct Step {
  enum class Kind : std::uint8_t {
    load,          // a row of the PE's own memory into a register
    store,         // a register into a row
    combine,       // two registers into one
    send,          // a register, and wait
    recv,          // into a register, and wait
    keep_send,     // a register; await_oldest waits for it
    keep_recv,     // into a register at await_oldest
    hold,          // as recv, and the tile keeps its slot until let_go
    await_oldest,  // of the kept ones
    let_go,        // of all tiles held
    barrier,       // with the other PEs of the package
  };
  Kind kind;
  std::string queue = {};
  int to = 0;    // register; of a store the row
  int from = 0;  // register; of a load the row
};

inline constexpr int kRegisters = 3;
inline constexpr int kRows = 3;  // of the memory of each PE

/// The programs of some PEs of a machine, one a launch; all others only come to the barriers of theirs.
struct Programs {
  std::vector<Wire> wires;
  std::vector<PeCoord> pes;
  std::vector<std::vector<std::vector<Step>>> launches;  // steps by PE, those of all others last
  std::int64_t elements = 1;                             // of a row

  [[nodiscard]] const std::vector<Step>& of(PeCoord pe, std::size_t launch) const;
};

/// Sends and receives come in pairs. A third of the programs is flawed: steps are lost or in another order,
/// so that many of these get stuck or leave tiles unreceived.
[[nodiscard]] Programs random_programs(std::uint64_t seed, const std::vector<PeCoord>& pes);

/// Arguments of the kernel `soak_program`: the memory of a package, kRows rows a PE.
struct ProgramArgs {
  Ptr memory;
  const Programs* programs = nullptr;
  std::size_t launch = 0;
};

}  // namespace kbsim::soak
