// Reads what a run wrote with --out.
#include "result_folder.hpp"

#include <string>
#include <system_error>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"

namespace kbsim::app {

namespace fs = std::filesystem;
namespace json = boost::json;

void require_results(const fs::path& folder, std::string_view of) {
  if (const std::string why = why_unreadable_folder(folder); !why.empty())
    throw UsageError{fmt::format("{}: {}, expected what {} wrote with --out", folder.string(), why, of)};
}

bool is_sweep(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "plan.json", error);
}

json::object document_in(const fs::path& file) {
  boost::system::error_code error;
  const json::value value = json::parse(read_input(file, file.string()), error);
  if (error || !value.is_object())
    throw UsageError{fmt::format("{}: isn't what a run wrote with --out", file.string())};
  return value.get_object();
}

Arguments recorded_command(const fs::path& folder) {
  const fs::path file = folder / "run.json";
  std::error_code error;
  if (!fs::exists(file, error))
    throw UsageError{
        is_sweep(folder)
            ? fmt::format("{}: is of a sweep, expected what a run wrote with --out; kbsim diff holds "
                          "two sweeps beside each other",
                          folder.string())
            : fmt::format("{}: no such file, expected a folder that a run wrote with --out", file.string())};
  const json::object run = document_in(file);
  const json::value* command = run.if_contains("command");
  const json::array* words = command == nullptr ? nullptr : command->if_array();
  Arguments all;
  for (std::size_t i = 1; words != nullptr && i < words->size(); ++i) {
    if ((*words)[i].is_string()) all.emplace_back((*words)[i].get_string());
  }
  if (!is_command(all, run_bench) && !is_command(all, traffic) && !is_command(all, fit))
    throw UsageError{fmt::format("{}: names no command of kbsim run, traffic or fit", file.string())};
  if (run.contains("interrupted"))
    throw UsageError{
        fmt::format("{}: that run was interrupted: there is nothing whole to hold against", file.string())};
  return all;
}

}  // namespace kbsim::app
