#pragma once

#include <string_view>

#include <boost/json/value.hpp>

namespace kbsim::evaluate {

/// Parses JSON with its numbers exactly as written: Boost.JSON before 1.82 reads 17 digits with an error in
/// the last places. `error` is set if the text is no JSON.
[[nodiscard]] boost::json::value parse_exactly(std::string_view text, boost::system::error_code& error);

}  // namespace kbsim::evaluate
