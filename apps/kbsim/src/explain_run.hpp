#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/host/session.hpp"

namespace kbsim::app {

/// Why a run, and each of its launches, takes as long as it does. None if it wasn't asked for.
struct Explanations {
  std::vector<explain::Explanation> all;  // of the run, then of the launches in the order of their orders
  std::string why_not;                    // there are none, where they may be missing
};
/// What can't be explained is an error if it is `wanted`, else `why_not` says it.
[[nodiscard]] Explanations explanations_of(host::Session& session, bool wanted);

[[nodiscard]] std::string to_text(const Explanations& what);
[[nodiscard]] boost::json::object to_json(const Explanations& what, host::Session& session);

}  // namespace kbsim::app
