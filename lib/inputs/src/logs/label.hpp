#pragma once

#include <string>
#include <string_view>

namespace kbsim::inputs {

/// The text before each line of a collected log: a rank ("[1,0]<stdout>:", "0: "), a host ("node7: "), a
/// process ("(head, pid=38) "), a time of day. Digits differ from line to line, all other characters are the
/// same.
class LineLabel {
 public:
  LineLabel() = default;
  /// Like the label before one line. A label must not be digits alone: rows begin with digits.
  explicit LineLabel(std::string_view like);

  /// The line after its label; the whole line if it has none.
  [[nodiscard]] std::string_view without(std::string_view line) const;

 private:
  std::string like_;
};

}  // namespace kbsim::inputs
