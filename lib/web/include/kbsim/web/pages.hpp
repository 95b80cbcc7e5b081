#pragma once

#include <functional>
#include <string_view>

namespace kbsim::web {

/// Receives a page's bytes, piece by piece.
using Sink = std::function<void(std::string_view bytes)>;

/// Writes one HTML file that needs no network: the page of runs or of a sweep. `data` is JSON in which no
/// script can end (json_in_script): an array with an object for each run (page::run_data), or an object with
/// a sweep.
void write_report_page(std::string_view data, const Sink& sink);

/// Likewise the page of one timeline; `data` is an object (trace::write_page_data).
void write_timeline_page(std::string_view data, const Sink& sink);

}  // namespace kbsim::web
