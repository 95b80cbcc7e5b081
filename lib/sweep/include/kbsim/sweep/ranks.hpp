#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kbsim/sweep/run_points.hpp"

namespace kbsim::sweep {

/// The processes of one parallel start, as mpirun's: lines of text between rank 0, which has the plan, and
/// the others, which run points for it.
class Ranks {
 public:
  virtual ~Ranks() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, const std::string& line) = 0;
  /// The next line that has arrived, and from whom; doesn't wait.
  virtual std::optional<std::pair<int, std::string>> receive() = 0;
};

/// What a rank but 0 does: runs points in a process of its own, as rank 0 says, until that has no more.
void serve(Ranks& ranks, const Plan& plan, const std::vector<std::string>& requests, const RunPoint& run,
           const PoolOptions& options);

/// However a sweep ends, rank 0 sends the others home.
class Dismissal {
 public:
  explicit Dismissal(Ranks* ranks) : ranks_{ranks} {}
  ~Dismissal();
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;

 private:
  Ranks* ranks_;  // nullptr: there are none
};

}  // namespace kbsim::sweep
