#pragma once

#include <string>

#include "files.hpp"

namespace kbsim::contract::report_page_test {

/// The page that a run wrote into its --out.
[[nodiscard]] inline std::string page_in(const std::string& folder) {
  return test::contents(folder + "/report.html");
}

/// A script's expression: the ids of the views that a reader sees.
inline const std::string kViews =
    "[...document.querySelectorAll('main > section')].filter(one => one.getClientRects().length)"
    ".map(one => one.id)";

/// Shows the path of the whole run in place of what it measures.
inline const std::string kWholeRun = "app.set({path: 0});";

}  // namespace kbsim::contract::report_page_test
