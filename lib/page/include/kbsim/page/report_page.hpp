#pragma once

#include <filesystem>
#include <string>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::page {

/// A folder that --out has named, and the drawing of its machine.
struct RunFolder {
  std::filesystem::path path;
  std::string drawing = {};     // SVG with names (report::SvgNames); "": there is none,
  std::string no_drawing = {};  // and why
};

/// Writes one HTML file that needs no network: what the run in a folder has left, and beside it another's.
/// Less than 10 MB: what is too much is left out, and the page says so. UsageError if a folder has nothing of
/// a run, or a file in it isn't what a run writes.
void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink);

}  // namespace kbsim::page
