#pragma once

#include <cstdint>
#include <memory>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/digest.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// The work of replay so far. Contents of literals belong to the log and don't count here.
struct Counters {
  std::int64_t executed = 0;  // operations
  Bytes live;                 // of values held now
  Bytes peak;                 // the most they ever were
};

/// Executes an op log numerically. Order is data dependence alone: any number of threads gives the same bits.
/// Unwritten bytes read as 0xFF (NaN in every float dtype), so that uninitialised memory shows up instead of
/// passing as zero. The log outlives its replay.
class Replay {
 public:
  explicit Replay(const oplog::OpLog& log, unsigned threads = 0 /* as many as the host has */);
  ~Replay();

  /// The contents of an operand. Computes only those values it needs that aren't held yet, and holds
  /// them. Throws KernelFault or Unsupported for an operation that can't be executed (always the same one
  /// of several), InternalError for a value that isn't recorded. Several threads may ask, one after the
  /// other.
  [[nodiscard]] Buffer evaluate(const oplog::Operand& what);

  /// Executes every recorded operation afresh, holding a value only until its last use, and returns a
  /// digest of all values in the order of their ids. Throws as evaluate().
  [[nodiscard]] Digest run();

  /// Lets go of all values that evaluate() holds.
  void release_all();

  [[nodiscard]] Counters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbsim::replay
