#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/explain/candidates.hpp"
#include "kbsim/explain/op_marks.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/hw/control/control.hpp"

namespace kbsim::evaluate {

struct EvaluationRequest;
class RowRecords;

/// Questions to the simulation of a row besides its numbers. They don't change the numbers.
struct RowQuestion {
  bool limit = false;     // the row has "limited_by"
  std::size_t whole = 0;  // likewise, and the path of row `whole`, from 1 on; 0: no path
  std::optional<std::uint64_t> shuffle_ties = {};
  bool exact_packets = false;
  bool bound = false;                             // it reports its bound for threads
  explain::Counts counts = {};                    // of the run, for changes that may help the row
  std::optional<std::uint64_t> most_events = {};  // a simulation with more fails
  RowRecords* records = nullptr;                  // it is recorded there, as row `whole`
  bool in_row = true;                             // the row has that path as its RowPath

  /// Options of its session, whose numbers one thread computes. Causes are kept if asked for; all causes for
  /// a row with a path.
  [[nodiscard]] host::SessionOptions session() const;
};
/// The question to row 0, 1, ... of an evaluation.
[[nodiscard]] RowQuestion question_of(const EvaluationRequest& request, std::size_t row);

/// Runs the session and, if asked, records it. If asked, prints on stderr what threads could give it, however
/// it ends.
void run(host::Session& session, const RowQuestion& question);

/// A time in a row, as an interval of its simulation. The path sums to this time.
struct StatedTime {
  std::string of;           // "intercube_allreduce on 2 ranks"
  Time begin{};             // of the stretch
  Cause end;                // none if causes aren't kept
  std::string kernel = {};  // the kernel that took this time; "": more than one
};
/// From the first PE's start to the last one's end.
[[nodiscard]] StatedTime stated(std::string kernel, const hw::Activity& activity);
/// The cause of what happens now, if causes are kept.
[[nodiscard]] Cause now_in(host::Session& session);

/// Adds what was asked to the row; nothing if nothing was.
void explain_row(boost::json::object& row, const RowQuestion& question, const StatedTime& time,
                 host::Session& session, const explain::OpMarks& marks);

/// The rows without "limited_by": what limits a row is no result.
[[nodiscard]] boost::json::array without_limits(boost::json::array rows);

/// The limit of a row: "overhead 62 %"; "" if it wasn't asked.
[[nodiscard]] std::string limit_of(const boost::json::object& row);
/// True if the rows were asked for it: their table has a column "limited by".
[[nodiscard]] bool has_limits(const boost::json::array& rows);
/// "  overhead 62 %", the cell of a row that was asked for it, else ""; and the head of that column.
[[nodiscard]] std::string limit_cell(const boost::json::object& row);
[[nodiscard]] std::string limit_head(const boost::json::object& first_row);

}  // namespace kbsim::evaluate
