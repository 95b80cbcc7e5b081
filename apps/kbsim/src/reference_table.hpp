#pragma once

#include <string>
#include <vector>

#include "kbsim/inputs/logs/measurements.hpp"
#include "kbsim/report/csv.hpp"

namespace kbsim::app {

/// The times that FILE, or ALGORITHM=FILE, has: a log of nccl-tests or rccl-tests, CSV or JSON; with the name
/// of an algorithm each row is of that one. Rows that aren't whole are named on stderr and passed over.
[[nodiscard]] report::CsvTable reference_table(const std::string& word,
                                               inputs::Buffers buffers = inputs::Buffers::out_of_place);

/// Rows of several tables as one: of the columns that all have. UsageError if none is left.
[[nodiscard]] report::CsvTable one_table(const std::vector<report::CsvTable>& tables);

}  // namespace kbsim::app
