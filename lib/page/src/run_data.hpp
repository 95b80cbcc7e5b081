#pragma once

#include <string>

#include "kbsim/page/report_page.hpp"

namespace kbsim::page {

/// The data of one folder for a page, as a JSON object in 1/`shares` of a page's size.
[[nodiscard]] std::string run_data(const RunFolder& folder, int shares);

}  // namespace kbsim::page
