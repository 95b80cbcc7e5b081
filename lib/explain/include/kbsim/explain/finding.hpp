#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/explain/candidates.hpp"
#include "kbsim/explain/explanation.hpp"
#include "kbsim/hw/control/order_record.hpp"
#include "kbsim/hw/machine.hpp"

namespace kbsim::explain {

/// A known pattern of lost time on a path, with its evidence in numbers.
struct Finding {
  std::string id = {};     // name of its kind
  std::string title = {};  // likewise
  Time gain{};             // by which the path may get shorter, by the kind's formula
  double share = 0.0;      // of the path's length
  bool simulated = false;  // the gain is that of a simulated change of the key; else it is estimated
  std::string evidence;
  std::string place;
  std::string key = {};   // that changes it; "": none
  bool of_ranks = false;  // as FindingKind
};

/// Everything a finding may be made from. The run has ended.
struct FindingScene {
  const Explanation& what;
  const hw::Machine& machine;
  const Counts& counts;
  const std::vector<hw::OrderRecord>& launches;  // finished launches of kernels, in order
};

/// Looks for one pattern; none if it isn't there. Computes from the scene alone, and changes nothing.
struct FindingKind {
  std::string title;
  std::string doc;        // formula of the gain, in a sentence
  bool of_ranks = false;  // it names a rank: printed before advice on keys if it gains more
  std::function<std::optional<Finding>(const FindingScene&)> look;
  [[nodiscard]] bool has_function() const { return look != nullptr; }
};
[[nodiscard]] Registry<FindingKind>& finding_kinds();

/// Always true. `abi` is KBSIM_ABI as the kind's file saw it.
bool register_finding(std::string name, FindingKind kind, const char& abi) noexcept;

/// Makes a kind of finding known by its id, in its own file: KBSIM_FINDING(id, {.title = ..., .look = ...}).
#define KBSIM_FINDING(id, ...) \
  static const bool kRegistered_##id = ::kbsim::explain::register_finding(#id, __VA_ARGS__, KBSIM_ABI)

/// Findings that gain half a percent of the path or more, the greatest gain first.
[[nodiscard]] std::vector<Finding> findings_in(const FindingScene& scene);
/// A finding whose key was simulated takes the greatest simulated gain; sorts them again.
void settle(std::vector<Finding>& findings, const std::vector<Advice>& advice);

/// The first three, each with its gain and evidence, at most 80 columns wide.
[[nodiscard]] std::string to_text(const std::vector<Finding>& findings);
/// The first lines for a terminal, which answer: the limit with its place, changes to try, or else remedies,
/// and findings. Findings of ranks that gain more than the best change come before it.
[[nodiscard]] std::string answer_of(const ExplanationText& text, const std::vector<Advice>& advice,
                                    const std::vector<Finding>& findings);
/// The answer, then the rest.
[[nodiscard]] std::string to_text(const ExplanationText& text, const std::vector<Advice>& advice,
                                  const std::vector<Finding>& findings);
[[nodiscard]] boost::json::array to_json(const std::vector<Finding>& findings);
[[nodiscard]] std::vector<Finding> findings_read(const boost::json::array& rows);

}  // namespace kbsim::explain
