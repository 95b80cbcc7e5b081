#include "package_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "figure_style.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

// NAME, PACKAGES, WIDTH, HEIGHT. A row of the data is an arrow: x, y, dx, dy, per cent, label's place.
constexpr const char* kPackageMap = R"gnuplot(unset border
unset xtics
unset ytics
unset key
set size ratio -1
set xrange [-0.55 : WIDTH - 0.45]
set yrange [-(HEIGHT - 0.45) : 0.55]
set palette defined (0 "#c6dbef", 50 "#fdae6b", 100 "#a50f15")
set cbrange [0:100]
set cblabel "busy (%)"
set style textbox opaque noborder margins 0.3, 0.1
PACKAGES)gnuplot";

constexpr const char* kLinks =
    "plot \"NAME.csv\" using 3:4:5:6:7 with vectors filled head size 0.06, 20 linewidth 5 linecolor palette, "
    "\\\n    \"\" using 8:9:(sprintf(\"%.0f\", column(7))) with labels boxed font \",18\"";

struct Place {
  double x = 0.0;
  double y = 0.0;
};

Place place(int sip, Grid grid) {
  return {static_cast<double>(sip % grid.w), -static_cast<double>(sip / grid.w)};
}

std::string boxes(Grid grid) {
  std::string text;
  for (int sip = 0; sip < grid.w * grid.h; ++sip) {
    const Place at = place(sip, grid);
    text += fmt::format(
        "set object {} rectangle center {:.3f}, {:.3f} size 0.36, 0.36 fillcolor \"white\" front\n"
        "set label {} \"sip{}\" at {:.3f}, {:.3f} center front\n",
        sip + 1, at.x, at.y, sip + 1, sip, at.x, at.y);
  }
  return text;
}

// From edge to edge of the boxes, each direction on its own side; a wire that wraps around leaves outwards.
std::string row(const PackageLink& link, Grid grid, int nth) {
  constexpr double kHalf = 0.2;
  const Place from = place(link.from, grid);
  const Place to = place(link.to, grid);
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Place unit{(to.x - from.x) / length, (to.y - from.y) / length};
  const double aside = 0.05 + 0.09 * nth;
  const Place shift{-unit.y * aside, unit.x * aside};
  const Place start{from.x + kHalf * unit.x + shift.x, from.y + kHalf * unit.y + shift.y};
  const Place arrow{to.x - from.x - 2 * kHalf * unit.x, to.y - from.y - 2 * kHalf * unit.y};
  return fmt::format("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.1f},{:.4f},{:.4f}\n", link.from, link.to, start.x,
                     start.y, arrow.x, arrow.y, link.busy / 10.0, start.x + 0.5 * arrow.x + 0.6 * shift.x,
                     start.y + 0.5 * arrow.y + 0.6 * shift.y);
}

}  // namespace

std::vector<PackageLink> package_links(const std::string& text) {
  std::vector<PackageLink> links;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    std::istringstream in{word};
    PackageLink link;
    char arrow = 0;
    char colon = 0;
    if (!(in >> link.from >> arrow >> link.to >> colon >> link.busy) || arrow != '>' || colon != ':')
      throw std::out_of_range{"package_links: " + word};
    links.push_back(link);
  }
  return links;
}

int busiest_of(const std::vector<PackageLink>& links) {
  int most = 0;
  for (const PackageLink& link : links) most = std::max(most, link.busy);
  return most;
}

Figure package_map(const std::string& name, const std::string& title, const std::vector<PackageLink>& links,
                   Grid grid) {
  std::string data = "from,to,x,y,dx,dy,busy_percent,label_x,label_y\n";
  std::map<std::pair<int, int>, int> so_far;  // links between two packages
  for (const PackageLink& link : links) data += row(link, grid, so_far[{link.from, link.to}]++);
  std::string settings = replaced(kPackageMap, "PACKAGES", boxes(grid));
  settings = replaced(replaced(settings, "WIDTH", std::to_string(grid.w)), "HEIGHT", std::to_string(grid.h));
  return {.name = name,
          .data = data,
          .script = script_of({.name = name, .title = title, .settings = settings, .plot = kLinks})};
}

}  // namespace kbsim::report
