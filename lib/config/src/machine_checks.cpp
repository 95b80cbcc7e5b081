#include <set>
#include <string>

#include <fmt/format.h>

#include "checks.hpp"

namespace kbsim::config {
namespace {

// What the fields of a physical address can count.
constexpr int kMaxCubes = 32;
constexpr int kMaxPes = 16;

struct Check {
  const MachineSpec& spec;
  const Reader& reader;
  Problems& problems;

  void require(bool holds, const std::string& key, const std::string& text) {
    if (!holds) problems.push_back({reader.place(key), key, text});
  }

  void sips() {
    const SipsSpec& sips = spec.system.sips;
    if (sips.topology == "ring_1d" || (sips.w == 0 && sips.h == 0)) return;
    require(sips.w * sips.h == sips.count, "system.sips.w",
            fmt::format("w x h is {} x {}, expected {} packages in all, or 0 x 0 for the squarest grid",
                        sips.w, sips.h, sips.count));
  }

  void cubes() {
    const ExtentSpec& mesh = spec.sip.cube_mesh;
    require(spec.cubes_per_sip() <= kMaxCubes, "sip.cube_mesh.w",
            fmt::format("w x h is {} x {}, expected at most {} cubes", mesh.w, mesh.h, kMaxCubes));
  }

  void pes() {
    const PeLayoutSpec& layout = spec.cube.pe_layout;
    const std::set<std::string> distinct{layout.corners.begin(), layout.corners.end()};
    require(!distinct.empty(), "cube.pe_layout.corners", "found none, expected at least one corner");
    require(distinct.size() == layout.corners.size(), "cube.pe_layout.corners",
            "found a corner twice, expected distinct ones");
    require(spec.pes_per_cube() <= kMaxPes, "cube.pe_layout.pe_per_corner",
            fmt::format("{} corners of {} PEs, expected at most {} PEs a cube", layout.corners.size(),
                        layout.pe_per_corner, kMaxPes));
  }

  void memory() {
    const MemorySpec& memory = spec.cube.memory;
    require(memory.tcm_scheduler < memory.tcm, "cube.memory.tcm_scheduler_bytes",
            fmt::format("found {}, expected less than tcm_bytes ({})", to_string(memory.tcm_scheduler),
                        to_string(memory.tcm)));
  }
};

}  // namespace

void check(const MachineSpec& spec, const Reader& reader, Problems& problems) {
  Check machine{spec, reader, problems};
  machine.sips();
  machine.cubes();
  machine.pes();
  machine.memory();
}

}  // namespace kbsim::config
