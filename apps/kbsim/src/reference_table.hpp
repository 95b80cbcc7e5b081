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

/// The times in FILE, or ALGORITHM=FILE: a log of nccl-tests or rccl-tests, CSV or JSON. With ALGORITHM,
/// every row belongs to that algorithm. Incomplete rows are named on stderr and skipped.
[[nodiscard]] Reference reference_in(const std::string& word,
                                     inputs::Buffers buffers = inputs::Buffers::out_of_place);

/// Rows of several tables as one table, with the columns that all of them have.
[[nodiscard]] report::CsvTable one_table(const std::vector<report::CsvTable>& tables);

}  // namespace kbsim::app
