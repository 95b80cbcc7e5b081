#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// The metrics that figures and the best point use.
struct TableOptions {
  std::string metric = {};  // "": the usual one
  std::string pareto = {};  // "A,B" or ""
};

/// Makes tables, database, figures and page from the records in a folder. Returns their text: the best point
/// and the Pareto front, or why no point has a number. UsageError if a file can't be written.
[[nodiscard]] std::string write_result_files(const std::filesystem::path& out,
                                             const report::OutputFolder& folder, const TableOptions& options);

/// The metric in `options` that the document of a point of the plan lacks, with the nearest name; "" if it
/// has all. For "NAME[KEY=VALUE]", which only some points may have, NAME counts.
[[nodiscard]] std::string missing_metric(const TableOptions& options, const Plan& plan,
                                         const std::string& document);

/// Notes that the tables in a folder are of exactly these requests, and checks that.
void stamp_tables(const std::filesystem::path& out, const std::vector<std::string>& requests);
[[nodiscard]] bool has_tables(const std::filesystem::path& out, const std::vector<std::string>& requests);

}  // namespace kbsim::sweep
