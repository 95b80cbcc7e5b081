#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/explain/op_marks.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/hw/control/control.hpp"

namespace kbsim::evaluate {

struct EvaluationRequest;

/// What the simulation of a row is asked besides its numbers. Nothing of it changes them.
struct RowQuestion {
  bool limit = false;     // the row has "limited_by"
  std::size_t whole = 0;  // likewise, and as the row of this number, from 1 on, its RowPath; 0: it hasn't
  std::optional<std::uint64_t> shuffle_ties = {};
  bool exact_packets = false;
  bool bound = false;  // it says what threads could give it

  /// For its session, whose numbers one thread computes. Causes are kept if it is asked for them, all of them
  /// of the row that tells its whole path.
  [[nodiscard]] host::SessionOptions session() const;
};
/// Of row 0, 1, ... of an evaluation.
[[nodiscard]] RowQuestion question_of(const EvaluationRequest& request, std::size_t row);

/// Runs it, and says on stderr what threads could give it, if that is asked, however it ends.
void run(host::Session& session, const RowQuestion& question);

/// A time that a row states, as a stretch of its simulation: its path sums to it.
struct StatedTime {
  std::string of;           // "intercube_allreduce on 2 ranks"
  Time begin{};             // of the stretch
  Cause end;                // none if causes aren't kept
  std::string kernel = {};  // of the kernel that it is the time of; "": of more than one
};
/// From the first PE's start to the last one's end.
[[nodiscard]] StatedTime stated(std::string kernel, const hw::Activity& activity);
/// What happens now, if causes are kept.
[[nodiscard]] Cause now_in(host::Session& session);

/// Adds what was asked to the row; nothing if nothing was.
void explain_row(boost::json::object& row, const RowQuestion& question, const StatedTime& time,
                 host::Session& session, const explain::OpMarks& marks);

/// The same rows as if they hadn't been asked: what limits a row is no result.
[[nodiscard]] boost::json::array without_limits(boost::json::array rows);

/// "  overhead 62 %", behind a row that was asked for it, else nothing; and the head of that column.
[[nodiscard]] std::string limit_cell(const boost::json::object& row);
[[nodiscard]] std::string limit_head(const boost::json::object& first_row);

}  // namespace kbsim::evaluate
