#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/plan.hpp"

namespace kbsim::sweep {

/// What figures and the best point are by.
struct TableOptions {
  std::string metric = {};  // "": the usual one
  std::string pareto = {};  // "A,B" or ""
};

/// Makes tables, database, figures and page of the records in a folder; gives the text that says what they
/// say: the best point and the Pareto front, or why no point has a number. UsageError if something can't be
/// written.
[[nodiscard]] std::string write_result_files(const std::filesystem::path& out,
                                             const report::OutputFolder& folder, const TableOptions& options);

/// What these tables are by and the document of a point of the plan hasn't, with the nearest name; "" if it
/// has all. Of "NAME[KEY=VALUE]", which may be of some points only, NAME counts.
[[nodiscard]] std::string missing_metric(const TableOptions& options, const Plan& plan,
                                         const std::string& document);

/// Notes, or tells, that the tables in a folder are of just these requests.
void stamp_tables(const std::filesystem::path& out, const std::vector<std::string>& requests);
[[nodiscard]] bool has_tables(const std::filesystem::path& out, const std::vector<std::string>& requests);

}  // namespace kbsim::sweep
