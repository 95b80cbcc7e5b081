#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kbsim/sweep/run_points.hpp"

namespace kbsim::sweep {

/// The processes of one parallel start, as mpirun's. Rank 0 has the plan; the others run points for it. They
/// exchange lines of text.
class Ranks {
 public:
  virtual ~Ranks() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, const std::string& line) = 0;
  /// The next line that has arrived, and its sender; doesn't wait.
  virtual std::optional<std::pair<int, std::string>> receive() = 0;
};

/// Work of a rank other than 0: runs points in a process of its own, as rank 0 says, until rank 0 has no
/// more.
void serve(Ranks& ranks, const Plan& plan, const std::vector<std::string>& requests, const RunPoint& run,
           const PoolOptions& options);

/// Dismisses the other ranks from rank 0, however a sweep ends.
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
