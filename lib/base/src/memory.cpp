#include "kbsim/base/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

std::atomic<std::int64_t> limit{0};  // 0: not set, and not looked up yet

// The first number of a file; 0 if there is none, as for a control group's "max".
std::int64_t number_in(const char* file) {
  std::int64_t number = 0;
  std::ifstream{file} >> number;
  return std::max<std::int64_t>(number, 0);
}

std::int64_t host_memory() {
  std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::int64_t group = number_in(file);
    if (group > 0) bytes = std::min(bytes, group);
  }
  return bytes;
}

}  // namespace

Bytes resident_memory() {
  std::array<char, 128> text{};  // "all resident ...", in pages; read without memory of the heap
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0_B;
  const auto size = ::read(file, text.data(), text.size());
  (void)::close(file);
  const char* const end = text.data() + std::max<ssize_t>(size, 0);
  const char* const second = std::find(static_cast<const char*>(text.data()), end, ' ');
  std::int64_t resident = 0;
  if (second != end) (void)std::from_chars(second + 1, end, resident);
  return Bytes{resident * sysconf(_SC_PAGESIZE)};
}

Bytes memory_limit() {
  if (limit == 0) limit = host_memory() / 4 * 3;
  return Bytes{limit};
}

void set_memory_limit(Bytes most) { limit = std::max<std::int64_t>(most.count(), 1); }

void require_memory(std::string_view what) {
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  throw Error{ExitCode::limit, fmt::format("{}: kbsim holds {} of memory, the limit is {} (--max-memory)",
                                           what, about(held), about(memory_limit()))};
}

void require_memory_for(Bytes need, std::string_view what) {
  const Bytes held = resident_memory();
  if (need <= memory_limit() - held) return;
  throw UsageError{
      fmt::format("{} needs about {} of memory beside the {} that kbsim holds; the limit is {} "
                  "(--max-memory)",
                  what, about(need), about(held), about(memory_limit()))};
}

std::string about(Bytes n) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(n.count());
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < kUnits.size(); ++unit) size /= 1024.0;
  return fmt::format("{:.{}f} {}", size, unit == 0 || size >= 100.0 ? 0 : 1, kUnits[unit]);
}

}  // namespace kbsim
