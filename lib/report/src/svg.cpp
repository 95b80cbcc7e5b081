#include "svg.hpp"

#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"

namespace kbsim::report {
namespace {

// Width of an average letter, in font sizes; wide enough for any sans-serif font.
constexpr double kLetter = 0.62;

constexpr std::string_view kStyle = R"(<style>
  text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1f2933 }
  .mid { text-anchor: middle } .end { text-anchor: end } .bold { font-weight: 600 } .soft { fill: #52606d }
  rect { stroke-width: 1.2 }
  path { fill: none; stroke-linejoin: round; stroke-linecap: butt }
  .page { fill: #ffffff } .panel { fill: #f7f9fb; stroke: #cbd5e0 }
  .host { fill: #e4e7eb; stroke: #7b8794 } .sip { fill: #ffffff; stroke: #9aa5b1 }
  .io { fill: #fdf0d5; stroke: #d9a441 } .cube { fill: #dbeafe; stroke: #6b9bd8 }
  .here { fill: #8ab8f0; stroke: #1d5fb4 } .die { fill: #ffffff; stroke: #6b9bd8; stroke-width: 1.6 }
  .router { fill: #ffffff; stroke: #6b9bd8; stroke-width: 1.6 } .pe { fill: #d3f1e4; stroke: #3f9c78 }
  .mem { fill: #eadff7; stroke: #9a76c9 }   .cpu { fill: #fdf0d5; stroke: #d9a441 } .port { fill: #fbdcd0; stroke: #d9774f }
  .zoom { fill: #9fb3c8; fill-opacity: .2 } .halo { stroke: #ffffff }
  .l-host { stroke: #7b8794; stroke-dasharray: 4 3 } .l-package { stroke: #334e68 }
  .l-io { stroke: #d9a441 } .l-ucie { stroke: #d9774f } .l-noc { stroke: #6b9bd8 }
  .l-xbar { stroke: #b79fdb } .band { stroke: #e2d6f3 } .l-pe { stroke: #3f9c78 } .l-hbm { stroke: #7c5cb0 }
</style>
)";

}  // namespace

// Applies to the next shape alone.
std::string Svg::attribute() {
  const std::string names = std::exchange(next_is_, {});
  return names_ == SvgNames::none || names.empty() ? "" : fmt::format(R"( data-of="{}")", in_markup(names));
}

void Svg::rect(std::string_view look, const Box& box, double radius) {
  body_ +=
      fmt::format(R"(<rect class="{}"{} x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}"/>)",
                  look, attribute(), box.x, box.y, box.w, box.h, radius) +
      "\n";
}

void Svg::line(std::string_view look, double width, const std::string& path_data) {
  body_ += fmt::format(R"(<path class="{}"{} stroke-width="{:.1f}" d="{}"/>)", look, attribute(), width,
                       path_data) +
           "\n";
}

void Svg::area(std::string_view look, const std::string& path_data) {
  body_ += fmt::format(R"(<path class="{}" d="{}"/>)", look, path_data) + "\n";
}

void Svg::text(std::string_view look, double size, double x, double y, std::string_view words) {
  body_ += fmt::format(R"(<text class="{}" font-size="{:.1f}" x="{:.1f}" y="{:.1f}">{}</text>)", look, size,
                       x, y, in_markup(words)) +
           "\n";
}

void Svg::label(std::string_view look, double size, const Box& box, std::string_view words) {
  const bool fits = kLetter * size * static_cast<double>(words.size()) <= box.w && size <= box.h;
  if (fits) text(look, size, box.mid_x(), box.mid_y() + 0.35 * size, words);
}

void Svg::style(std::string_view rules) { body_ += fmt::format("<style>{}</style>\n", rules); }

std::string Svg::finish(double width, double height, std::string_view title) const {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">)",
             width, height, in_markup(title)) +
         "\n" + std::string{kStyle} +
         fmt::format(R"(<rect class="page" x="0" y="0" width="{:.0f}" height="{:.0f}"/>)", width, height) +
         "\n" + body_ + "</svg>\n";
}

}  // namespace kbsim::report
