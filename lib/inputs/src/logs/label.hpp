#pragma once

#include <string>
#include <string_view>

namespace kbsim::inputs {

/// What stands before each line of a log that somebody collected: a rank ("[1,0]<stdout>:", "0: "), a host
/// ("node7: "), a process ("(head, pid=38) "), a time of day. Digits differ from line to line, all else is
/// the same.
class LineLabel {
 public:
  LineLabel() = default;
  /// Like the label before one line. One of digits alone is none: rows begin with those.
  explicit LineLabel(std::string_view like);

  /// The line behind its label; the whole line if it has none.
  [[nodiscard]] std::string_view without(std::string_view line) const;

 private:
  std::string like_;
};

}  // namespace kbsim::inputs
