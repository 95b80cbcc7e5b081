#pragma once

#include <array>

namespace kbsim {

/// A kernel's place in the grid of its launch: the results of tl.program_id and tl.num_programs for each
/// axis. Axis 0: PEs of the cube that take part; 1: cubes of the package; 2: packages of a collective, else
/// one.
struct ProgramPlace {
  std::array<int, 3> id{};
  std::array<int, 3> count{1, 1, 1};
  /// Cubes of the launch have different numbers of PEs, so it isn't a grid. Axis 0 counts this cube's.
  bool ragged = false;
};

/// The numbers of PEs, cubes and packages of the machine, whichever take part in a launch.
struct MachineShape {
  int pes_per_cube = 1;
  int cubes_per_package = 1;
  int packages = 1;
  friend bool operator==(const MachineShape&, const MachineShape&) = default;
};

}  // namespace kbsim
