#pragma once

#include <boost/json/object.hpp>

#include "kbsim/page/report_page.hpp"

namespace kbsim::page {

/// All that a page shows of one folder, in a part of 1/`shares` of a page's size.
[[nodiscard]] boost::json::object run_data(const RunFolder& folder, int shares);

}  // namespace kbsim::page
