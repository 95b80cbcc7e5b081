#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/host/session.hpp"
#include "kbsim/report/output_folder.hpp"

namespace kbsim::evaluate {

struct EvaluationRequest;

/// A row's number, from 1 on, and the events of its simulation.
struct RowCost {
  std::size_t row;
  std::uint64_t events;
};
/// The rows, in ascending order, that have at most `budget` events in sum: `first` before all others, then
/// those with the fewest.
[[nodiscard]] std::vector<std::size_t> rows_within(std::span<const RowCost> costs, std::uint64_t budget,
                                                   std::size_t first);

/// Records some rows of an evaluation for its page: path, timeline, series, and the machine if it isn't the
/// request's; up to 20 rows, also the use of links and units. Rows may be simulated by several threads. The
/// texts are kept until write().
class RowRecords {
 public:
  /// `bench` is for titles. The request must outlive the object.
  RowRecords(std::string bench, const EvaluationRequest& request, std::vector<std::size_t> rows);

  /// Whether a row is to be recorded, and hasn't been yet.
  [[nodiscard]] bool has(std::size_t row) const;
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  /// Runs a row's simulation and records it; a row whose simulation fails isn't written.
  void during(std::size_t row, host::Session& session, const std::function<void()>& run);
  /// The path of such a row, as in explain.json, and its limit.
  void add_path(std::size_t row, const boost::json::object& document, const std::string& limit);

  /// "" if the row has no path.
  [[nodiscard]] std::string limit_of(std::size_t row) const;
  /// Writes the rows that have ended, each into row_folder().
  void write(const report::OutputFolder& folder) const;

 private:
  struct Row {
    std::map<std::string, std::string> files = {};  // by name
    std::string limit = {};
    bool ended = false;
  };
  void keep(std::size_t row, Row record);

  std::string bench_;
  const EvaluationRequest& request_;
  std::string configuration_;
  std::vector<std::size_t> rows_;
  std::map<std::size_t, Row> records_;
  mutable std::mutex mutex_;
};

}  // namespace kbsim::evaluate
