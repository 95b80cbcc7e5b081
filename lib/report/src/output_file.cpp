#include "kbsim/report/output_file.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"

namespace kbsim::report {

void write_file(const std::filesystem::path& file, std::string_view contents) {
  const std::filesystem::path aside = fmt::format("{}.{}.part", file.string(), getpid());
  std::error_code error;
  {
    std::ofstream out{aside, std::ios::binary};
    out << contents << std::flush;
    if (!out) error = {errno, std::generic_category()};
  }
  if (!error) std::filesystem::rename(aside, file, error);
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw UsageError{fmt::format("can't write '{}': {}", file.string(), error.message())};
}

}  // namespace kbsim::report
