#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/op_marks.hpp"
#include "kbsim/explain/path_question.hpp"
#include "kbsim/explain/recheck.hpp"
#include "kbsim/host/session.hpp"

namespace kbsim::app {

/// Why a run, and each of its launches, takes as long as it does. None if it wasn't asked for.
struct Explanations {
  std::vector<explain::Explanation> all;  // of the run, of the launches in their order, of what was asked for
  std::size_t asked = 0;                  // of these, what the text tells in full
  std::size_t launches = 0;
  bool gave_up_all = false;                    // there were too many moments to keep all their causes
  std::vector<explain::KeyTrial> trials = {};  // of the run, not yet simulated
  std::string why_not = {};                    // there are none, where they may be missing
  std::string not_there = {};                  // what was asked about isn't: the text tells the run in full
  const explain::OpMarks* marks = nullptr;     // that the paths were made with
};
/// What they are for.
struct Telling {
  bool wanted = true;      // what can't be explained is an error; else `why_not` says it
  bool whole = false;      // all that a document has; else what the text prints
  bool rechecked = false;  // predictions are to be compared with simulations
};
[[nodiscard]] Explanations explanations_of(host::Session& session, const Telling& telling,
                                           const explain::OpMarks& marks,
                                           const explain::PathQuestion& asked = {});

[[nodiscard]] std::string to_text(const Explanations& what);
[[nodiscard]] boost::json::object to_json(const Explanations& what, host::Session& session);

}  // namespace kbsim::app
