#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/queue_settings.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::mock {

/// The numbers of PEs, and which can send to which. Unless queues have slots, no send ever waits.
struct WorldSpec {
  int sips = 1;
  int cubes = 1;  // per SIP
  int pes = 1;    // per cube
  ccl::Wiring wiring = {};
  QueueSettings queues = {};
  std::int64_t max_commands = 1'000'000;  // per run of a kernel, with calls that take no time
  bool fetched = false;  // rings outside TCM: a slot is free when its tile is received, not when it is let go
};

/// The output of one print of a kernel.
struct Printed {
  PeCoord pe;
  std::string label;
  Shape shape;
  std::vector<double> numbers;
};

/// Runs kernels on PEs without a machine: one coroutine per PE, numbers computed at once, no time (the clock
/// stays 0) and no engines. Memory is plain bytes, one space per SIP that all its PEs see; unwritten bytes
/// are 0xFF. Queues have the machine's names, order and checks. A deadlock is reported at once. Errors name
/// the caller's line.
class World {
 public:
  using Here = std::source_location;

  /// UsageError for a world without PEs, and for a wiring with PEs that don't exist or directions that don't
  /// pair.
  explicit World(WorldSpec spec, Here at = Here::current());
  ~World();
  World(World&&) noexcept;

  /// `n` elements of a SIP's memory. UsageError for a SIP that doesn't exist.
  [[nodiscard]] Ptr alloc(int sip, std::int64_t n, DType dtype, Here at = Here::current());
  /// The same, holding these numbers, rounded to the dtype.
  [[nodiscard]] Ptr alloc(int sip, std::span<const double> numbers, DType dtype, Here at = Here::current());
  /// KernelFault outside of allocations.
  [[nodiscard]] std::vector<double> read(int sip, Ptr from, std::int64_t n, Here at = Here::current()) const;

  /// Queues a kernel for the next run(), on one PE, on all PEs of a SIP, or on all PEs. A PE runs its kernels
  /// one after the other. For tl.barrier, the first kernels of a SIP's PEs are one launch, and so on.
  void launch(PeCoord pe, KernelCall call, Here at = Here::current());
  void launch(int sip, const KernelCall& call, Here at = Here::current());
  void launch(const KernelCall& call);

  /// Runs all launched kernels to their ends. Throws DeadlockReport, or a kernel's own fault with the kernel,
  /// its PE and its line. KernelFault, too, if a tile was sent and never received.
  void run();
  /// Runs one kernel, by its name, on all PEs.
  void run(const std::string& kernel, const std::any& args, Here at = Here::current());

  /// The prints so far, in their order.
  [[nodiscard]] const std::vector<Printed>& printed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbsim::mock
