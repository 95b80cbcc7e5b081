#pragma once

#include "kbsim/sweep/run_points.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// Runs points in this process; plug-ins that `words` of all points name are loaded and part of every key.
/// `with_links`: what each link did is kept, too; `with_explanation`: of points with --explain why they took
/// as long as they did, without the segments of their paths.
[[nodiscard]] sweep::RunPoint point_runner(const Arguments& words, bool with_links,
                                           bool with_explanation = false);

/// Reads and checks a point as far as that goes without simulating it. Throws what is wrong.
void check_point(const Arguments& words);

/// The words without the plug-ins, which a process loads once.
[[nodiscard]] Arguments without_plugins(const Arguments& words);

}  // namespace kbsim::app
