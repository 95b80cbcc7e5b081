#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kbsim/report/machine_report.hpp"

namespace kbsim::report {

struct Box {
  double x, y, w, h;
  [[nodiscard]] double right() const { return x + w; }
  [[nodiscard]] double bottom() const { return y + h; }
  [[nodiscard]] double mid_x() const { return x + w / 2; }
  [[nodiscard]] double mid_y() const { return y + h / 2; }
};

/// An SVG image during drawing; later shapes lie above earlier ones. `look` names classes of its style sheet.
class Svg {
 public:
  explicit Svg(SvgNames names = SvgNames::none) : names_{names} {}

  /// The next rectangle or line, with all its contents, represents this node, or the links between two:
  /// "sip0|sip1". With names, the image records it as data-of.
  void is(std::string names) { next_is_ = std::move(names); }
  void rect(std::string_view look, const Box& box, double radius);
  void line(std::string_view look, double width, const std::string& path_data);
  void area(std::string_view look, const std::string& path_data);
  void text(std::string_view look, double size, double x, double y, std::string_view words);
  /// Writes the words in the middle of a box, if they fit there.
  void label(std::string_view look, double size, const Box& box, std::string_view words);

  /// Rules for looks beside those of every drawing.
  void style(std::string_view rules);

  [[nodiscard]] std::string finish(double width, double height, std::string_view title) const;

 private:
  [[nodiscard]] std::string attribute();

  SvgNames names_;
  std::string next_is_;
  std::string body_;
};

}  // namespace kbsim::report
