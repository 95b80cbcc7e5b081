// Findings for a terminal.
#include <algorithm>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "kbsim/explain/finding.hpp"

namespace kbsim::explain {
namespace {

constexpr std::size_t kShownFindings = 3;

// Words in lines of at most 80 columns, indented. A longer word has a line of its own.
std::string wrapped(const std::string& words) {
  constexpr std::size_t kColumns = 80;
  const std::string indent(9, ' ');
  std::istringstream in{words};
  std::string text;
  std::string line;
  for (std::string word; in >> word;) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kColumns) {
      text += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? text : text + indent + line + "\n";
}

std::span<const Finding> first_of(const std::vector<Finding>& findings) {
  return std::span{findings}.first(std::min(kShownFindings, findings.size()));
}

}  // namespace

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : first_of(findings)) {
    text += fmt::format("  found  {:<46} {:5.1f} % less, {}\n", one.title, 100.0 * one.share,
                        one.simulated ? "simulated" : "estimated");
    text += wrapped(one.evidence);
  }
  return text;
}

std::string to_text(const ExplanationText& text, const std::vector<Advice>& advice,
                    const std::vector<Finding>& findings) {
  const Time best = advice.empty() ? Time{0} : advice.front().gain;
  std::vector<Finding> before;
  std::vector<Finding> after;
  for (const Finding& one : first_of(findings))
    (one.of_ranks && one.gain > best ? before : after).push_back(one);
  return text.headline + to_text(before) + to_text(advice) + to_text(after) + text.details +
         (advice.empty() ? text.remedies : "");
}

}  // namespace kbsim::explain
