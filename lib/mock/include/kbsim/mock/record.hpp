#pragma once

#include <any>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::mock {

/// The place of the one PE that is recorded: the values of program_id and num_programs.
struct RecordSpec {
  PeCoord at = {};
  int sips = 1;
  int cubes = 1;
  int pes = 1;
  std::int64_t max_commands = 1'000'000;
};

/// One command of a kernel, as its PE's units would get it.
struct Issued {
  enum class Unit { math, gemm, dma, send, recv, composite, barrier, sync };
  Unit unit = Unit::math;
  std::string name;       // as kernels call it: "add", "dot", "load", "send"
  std::string direction;  // of a send or recv; "" for any
  Shape shape;            // of its result, or of the tile that is sent or received
  DType dtype = f16;
  int tag = 0;
  std::source_location at;
};

/// The commands that a kernel issued, in program order, without prints, checks and ranges.
struct Recording {
  std::vector<Issued> commands;

  [[nodiscard]] std::int64_t count(Issued::Unit unit) const;
  /// Sends and recvs of that direction.
  [[nodiscard]] std::int64_t count(Issued::Unit unit, Dir direction) const;
  [[nodiscard]] std::int64_t count(std::string_view name) const;
};

/// Runs a kernel on one PE without machine, memory or peers, and gives the commands it issued. Every
/// direction exists, every operation completes at once, and tiles have no numbers: KernelFault if a kernel
/// asks for one. UsageError, with the caller's line, for a PE that doesn't exist.
[[nodiscard]] Recording record(const RecordSpec& spec, KernelCall call,
                               std::source_location at = std::source_location::current());
/// A kernel by its name.
[[nodiscard]] Recording record(const RecordSpec& spec, const std::string& kernel, const std::any& args,
                               std::source_location at = std::source_location::current());

}  // namespace kbsim::mock
