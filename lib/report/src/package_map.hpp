#pragma once

#include <string>
#include <vector>

#include "kbsim/report/gemm_figures.hpp"

namespace kbsim::report {

/// One direction of a link between packages, and how busy it was, in per mille.
struct PackageLink {
  int from = 0;
  int to = 0;
  int busy = 0;
};

/// As a row of a collective has them: "0>1:423 1>0:17". std::out_of_range for any other text.
[[nodiscard]] std::vector<PackageLink> package_links(const std::string& text);
[[nodiscard]] int busiest_of(const std::vector<PackageLink>& links);  // per mille

struct Grid {
  int w = 1;
  int h = 1;
};

/// The packages where they stand in their grid, each link an arrow coloured by how busy it was.
[[nodiscard]] Figure package_map(const std::string& name, const std::string& title,
                                 const std::vector<PackageLink>& links, Grid grid);

}  // namespace kbsim::report
