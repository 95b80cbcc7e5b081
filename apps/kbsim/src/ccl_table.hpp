#pragma once

#include <string>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::app {

/// The rows of a collective over sizes (see evaluate::CclPoint), with the columns of nccl-tests, and lines
/// below that count wrong elements and give the mean bus bandwidth.
[[nodiscard]] std::string ccl_table(const evaluate::Rows& rows, report::Columns columns);

}  // namespace kbsim::app
