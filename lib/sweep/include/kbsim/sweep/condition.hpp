#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kbsim::sweep {

/// An operand of a condition. A value of an axis or a text in quotes is a number if it reads as one.
using Term = std::variant<double, std::string>;

/// A condition on a point's values: names of axes, numbers, 'texts', + - * / %, == != < <= > >=, and, or,
/// not, parentheses.
class Condition {
 public:
  /// UsageError for what can't be read, or names no axis.
  Condition(std::string text, const std::vector<std::string>& axes);

  /// `values`: a point's, in the order of the axes. UsageError for a text where a number is needed, and for a
  /// division by 0.
  [[nodiscard]] bool holds(const std::vector<Term>& values) const;
  [[nodiscard]] const std::string& text() const { return text_; }

  using Evaluate = std::function<Term(const std::vector<Term>&)>;

 private:
  std::string text_;
  Evaluate evaluate_;
};

[[nodiscard]] Term term_of(const std::string& value);

}  // namespace kbsim::sweep
