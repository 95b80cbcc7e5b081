#pragma once

#include <string>

#include <boost/json/array.hpp>

#include "kbsim/report/text_table.hpp"

namespace kbsim::app {

/// The tables of --bench llm for people, from its rows.
[[nodiscard]] std::string llm_text(const boost::json::array& rows, report::Columns columns);

}  // namespace kbsim::app
