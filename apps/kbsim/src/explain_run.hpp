#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/candidates.hpp"
#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/finding.hpp"
#include "kbsim/explain/op_marks.hpp"
#include "kbsim/explain/path_question.hpp"
#include "kbsim/explain/recheck.hpp"
#include "kbsim/host/session.hpp"

namespace kbsim::app {

/// Explanations of the duration of a run and of each of its launches. Empty if they weren't asked for.
struct Explanations {
  std::vector<explain::Explanation> all;  // the run, then its launches in order, then what was asked for
  std::size_t asked = 0;                  // index of the one that the text gives in full
  std::size_t launches = 0;
  bool gave_up_all = false;                  // there were too many moments to keep all their causes
  std::size_t measured = 0;                  // index of the one whose length is the run's result, or near it
  std::vector<explain::Advice> advice = {};  // for the asked one; if that is the run, for the measured one
  std::vector<explain::Finding> findings = {};  // likewise
  std::vector<explain::KeyTrial> trials = {};   // trials of the run, not yet simulated
  std::string why_not = {};                     // why there are none, if they may be missing
  std::string not_there = {};                   // why the asked path is missing; documents have the others
  const explain::OpMarks* marks = nullptr;      // used to make the paths
};
/// Which explanations are needed, and how complete.
struct Purpose {
  bool wanted = true;      // a missing explanation is an error; else `why_not` gives the reason
  bool whole = false;      // everything for a document; else only what the text prints
  bool rechecked = false;  // predictions are to be compared with simulations
};
[[nodiscard]] Explanations explanations_of(host::Session& session, const Purpose& purpose,
                                           const explain::OpMarks& marks,
                                           const explain::PathQuestion& asked = {});

/// Findings on the path `what` of this run, which has ended.
[[nodiscard]] std::vector<explain::Finding> findings_on(const explain::Explanation& what,
                                                        const explain::Counts& counts,
                                                        host::Session& session);

/// The first lines for a terminal: what limits the run, where, and changes to try; "" if there is no path.
[[nodiscard]] std::string answer_of(const Explanations& what);
/// The other lines: the path that was asked about in full, and the first sentence of each launch.
[[nodiscard]] std::string rest_of(const Explanations& what);
[[nodiscard]] boost::json::object to_json(const Explanations& what, host::Session& session);

}  // namespace kbsim::app
