#pragma once

#include <string>

#include "kbsim/page/report_page.hpp"

namespace kbsim::page {

/// All that a page shows of one folder, in a part of 1/`shares` of a page's size: an object of JSON.
[[nodiscard]] std::string run_data(const RunFolder& folder, int shares);

}  // namespace kbsim::page
