#pragma once

#include <cstdint>

#include <boost/json/value.hpp>

namespace kbsim::page {

/// explain.json for a page: its paths' segments as columns of numbers into a list of texts, those of the
/// first paths, at most `segments` in all; the others' are left out, and "short" says so of each.
[[nodiscard]] boost::json::value shortened_paths(boost::json::value explained, std::uint64_t segments);

}  // namespace kbsim::page
