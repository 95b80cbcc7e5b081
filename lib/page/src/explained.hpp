#pragma once

#include <cstdint>

#include <boost/json/value.hpp>

namespace kbsim::page {

/// explain.json for a page: segments of paths as columns of numbers into a list of texts. At most `segments`
/// in all are kept; a path whose segments are left out is marked with "short".
[[nodiscard]] boost::json::value shortened_paths(boost::json::value explained, std::uint64_t segments);

}  // namespace kbsim::page
