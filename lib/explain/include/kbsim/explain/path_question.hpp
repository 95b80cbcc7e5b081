#pragma once

#include <cstddef>
#include <string>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::explain {

/// The subject of a question: "run", "launch:2", "collective:1", "op:sip0.cube0.pe3:17" or "op:3:17"; for an
/// evaluation "row:3".
struct PathQuestion {
  enum class Kind { run, launch, collective, op, row };
  Kind kind = Kind::run;
  std::size_t number = 0;  // from 1 on; of an operation its count in its lane, from 0 on
  std::string lane = {};   // of an operation: the lane's name, or its number
};

/// The subject isn't there, which only the run could show. The run's results are complete.
struct NothingAsked : UsageError {
  using UsageError::UsageError;
};

/// The question in a text. UsageError if it is none.
[[nodiscard]] PathQuestion question_of(const std::string& text);
/// The text of a question as the user wrote it.
[[nodiscard]] std::string as_asked(const PathQuestion& asked);

/// The operation in question, which may not be there yet. UsageError if there is no such lane.
[[nodiscard]] oplog::ValueId op_of(const PathQuestion& asked, const oplog::OpLog& log);
/// NothingAsked, with the available operations, if it isn't in the log of a finished run.
void require_recorded(const PathQuestion& asked, oplog::ValueId op, const oplog::OpLog& log);

}  // namespace kbsim::explain
