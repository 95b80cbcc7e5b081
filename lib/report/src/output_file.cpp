#include "kbsim/report/output_file.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"

namespace kbsim::report {
namespace {

// Where the contents stand until they are whole.
std::filesystem::path aside_of(const std::filesystem::path& file) {
  return fmt::format("{}.{}.part", file.string(), getpid());
}

std::error_code write(const std::filesystem::path& file, std::string_view contents) {
  std::ofstream out{file, std::ios::binary};
  out << contents << std::flush;
  return out ? std::error_code{} : std::error_code{errno, std::generic_category()};
}

// Takes away what stands aside.
[[noreturn]] void fail(const std::filesystem::path& file, const std::error_code& error) {
  std::error_code ignored;
  std::filesystem::remove(aside_of(file), ignored);
  throw UsageError{fmt::format("can't write '{}': {}", file.string(), error.message())};
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view contents) {
  std::error_code error = write(aside_of(file), contents);
  if (!error) std::filesystem::rename(aside_of(file), file, error);
  if (error) fail(file, error);
}

void require_writable(const std::filesystem::path& file) {
  std::error_code error = write(aside_of(file), {});
  if (!error && std::filesystem::is_directory(file)) error = std::make_error_code(std::errc::is_a_directory);
  if (error) fail(file, error);
  std::filesystem::remove(aside_of(file));
}

}  // namespace kbsim::report
