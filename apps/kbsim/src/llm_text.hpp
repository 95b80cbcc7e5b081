#pragma once

#include <string>

#include <boost/json/array.hpp>

namespace kbsim::app {

/// The tables of --bench llm for people, from its rows.
[[nodiscard]] std::string llm_text(const boost::json::array& rows);

}  // namespace kbsim::app
