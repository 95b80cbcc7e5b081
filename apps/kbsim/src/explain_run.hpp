#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/host/session.hpp"

#include "explain_check.hpp"

namespace kbsim::app {

/// What is asked about: "run", "launch:2", "collective:1".
struct PathQuestion {
  enum class Kind { run, launch, collective };
  Kind kind = Kind::run;
  std::size_t number = 0;  // from 1 on
};
/// UsageError if it is none.
[[nodiscard]] PathQuestion question_of(const std::string& text);

/// Why a run, and each of its launches, takes as long as it does. None if it wasn't asked for.
struct Explanations {
  std::vector<explain::Explanation> all;  // of the run, of the launches in their order, of what was asked for
  std::size_t asked = 0;                  // of these, what the text tells in full
  std::size_t launches = 0;
  bool gave_up_all = false;           // there were too many moments to keep all their causes
  std::vector<KeyTrial> trials = {};  // of the run, not yet simulated
  std::string why_not = {};           // there are none, where they may be missing
};
/// What can't be explained is an error if it is `wanted`, else `why_not` says it. UsageError if what is asked
/// about isn't there.
[[nodiscard]] Explanations explanations_of(host::Session& session, bool wanted,
                                           const PathQuestion& asked = {});

[[nodiscard]] std::string to_text(const Explanations& what);
[[nodiscard]] boost::json::object to_json(const Explanations& what, host::Session& session);

}  // namespace kbsim::app
