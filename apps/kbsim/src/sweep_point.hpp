#pragma once

#include "kbsim/sweep/run_points.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// Runs points in this process. Plug-ins in `words`, the words of all points, are loaded and part of every
/// key. `with_links`: also keeps the counts of each link. `with_explanation`: also keeps why points with
/// --explain took their time, without the segments of their paths.
[[nodiscard]] sweep::RunPoint point_runner(const Arguments& words, bool with_links,
                                           bool with_explanation = false);

/// Reads and checks a point without simulating it. Throws the error that it finds.
void check_point(const Arguments& words);

/// The words without the plug-ins, which a process loads once.
[[nodiscard]] Arguments without_plugins(const Arguments& words);

}  // namespace kbsim::app
