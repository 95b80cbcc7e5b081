#pragma once

#include <string>
#include <vector>

#include "kbsim/report/gemm_figures.hpp"

namespace kbsim::report {

/// One direction of a link between packages, and its utilization in per mille.
struct PackageLink {
  int from = 0;
  int to = 0;
  int busy = 0;
};

/// The links in a collective's row: "0>1:423 1>0:17". std::out_of_range for any other text.
[[nodiscard]] std::vector<PackageLink> package_links(const std::string& text);
[[nodiscard]] int busiest_of(const std::vector<PackageLink>& links);  // per mille

struct Grid {
  int w = 1;
  int h = 1;
};

/// The packages at their places in the grid, each link an arrow coloured by its utilization.
[[nodiscard]] Figure package_map(const std::string& name, const std::string& title,
                                 const std::vector<PackageLink>& links, Grid grid);

}  // namespace kbsim::report
