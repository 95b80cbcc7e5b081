#pragma once

#include <string>
#include <vector>

#include "kbsim/inputs/logs/measurements.hpp"
#include "kbsim/report/csv.hpp"

namespace kbsim::app {

struct Reference {
  report::CsvTable table;
  bool of_either_buffers = false;         // its file says which times are in place and which aren't
  std::vector<std::string> skipped = {};  // its rows that aren't used: place and reason
};

/// The times that FILE, or ALGORITHM=FILE, has: a log of nccl-tests or rccl-tests, CSV or JSON; with the name
/// of an algorithm each row is of that one. Rows that aren't whole are named on stderr and passed over.
[[nodiscard]] Reference reference_in(const std::string& word,
                                     inputs::Buffers buffers = inputs::Buffers::out_of_place);

/// Rows of several tables as one: of the columns that all have. UsageError if none is left.
[[nodiscard]] report::CsvTable one_table(const std::vector<report::CsvTable>& tables);

}  // namespace kbsim::app
