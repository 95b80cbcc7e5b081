#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::page {

/// A row of an evaluation that has a folder, from 1 on, and the index of its machine's drawing.
struct RowFolder {
  std::size_t row = 1;
  std::optional<std::size_t> drawing = {};  // none: there is none
};

/// A folder that --out has named, and the drawing of its machine.
struct RunFolder {
  std::filesystem::path path;
  std::string drawing = {};     // SVG with names (report::SvgNames); "": there is none
  std::string no_drawing = {};  // the reason
  std::vector<RowFolder> rows = {};
  std::vector<std::string> drawings = {};  // of the rows' machines, each once
};

/// Writes one HTML file that needs no network: the results of a run's folder, optionally beside another's. It
/// has less than 10 MB; the page names whatever is left out. UsageError if a folder has no results of a run,
/// or a file in it is invalid.
void write_report(const RunFolder& run, const RunFolder* against, const trace::Sink& sink);

}  // namespace kbsim::page
