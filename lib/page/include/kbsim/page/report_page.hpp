#pragma once

#include <filesystem>
#include <string>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::page {

/// A folder that --out has named, and the drawing of its machine.
struct RunFolder {
  std::filesystem::path path;
  std::string drawing = {};     // SVG with names (report::SvgNames); "": there is none
  std::string no_drawing = {};  // the reason
};

/// Writes one HTML file that needs no network: the results of a run's folder, optionally beside another's. It
/// has less than 10 MB; the page names whatever is left out. UsageError if a folder has no results of a run,
/// or a file in it is invalid.
void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink);

}  // namespace kbsim::page
