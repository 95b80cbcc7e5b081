#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/json/value.hpp>

namespace kbsim::page {

/// explain.json for a page: segments of paths as columns of numbers into a list of texts. At most `segments`
/// in all are kept; a path whose segments are left out is marked with "short". Lists by operation have at
/// most `ops` rows in all.
[[nodiscard]] boost::json::value shortened_paths(boost::json::value explained, std::uint64_t segments,
                                                 std::size_t ops = 5000);

}  // namespace kbsim::page
