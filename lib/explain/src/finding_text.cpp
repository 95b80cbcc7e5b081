// Findings for a terminal.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/explain/finding.hpp"

namespace kbsim::explain {
namespace {

constexpr std::size_t kShownFindings = 3;
constexpr std::size_t kEvidence = 9;  // its column

std::span<const Finding> first_of(const std::vector<Finding>& findings) {
  return std::span{findings}.first(std::min(kShownFindings, findings.size()));
}

}  // namespace

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : first_of(findings)) {
    text += fmt::format("  found  {:<46} {:5.1f} % less, {}\n", one.title, 100.0 * one.share,
                        one.simulated ? "simulated" : "estimated");
    text += wrapped(std::string(kEvidence, ' ') + one.evidence, kEvidence) + "\n";
  }
  return text;
}

std::string answer_of(const ExplanationText& text, const std::vector<Advice>& advice,
                      const std::vector<Finding>& findings) {
  const Time best = advice.empty() ? Time{0} : advice.front().gain;
  std::vector<Finding> before;
  std::vector<Finding> after;
  for (const Finding& one : first_of(findings))
    (one.of_ranks && one.gain > best ? before : after).push_back(one);
  return in_role(Role::limit, text.limit) + to_text(before) +
         in_role(Role::remedy, advice.empty() ? text.remedies : to_text(advice)) + to_text(after);
}

std::string to_text(const ExplanationText& text, const std::vector<Advice>& advice,
                    const std::vector<Finding>& findings) {
  return answer_of(text, advice, findings) + text.headline + text.details;
}

}  // namespace kbsim::explain
