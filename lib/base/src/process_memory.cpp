#include "kbsim/base/process_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim {
namespace {

std::atomic<std::int64_t> limit{0};  // 0: not set, and not looked up yet
std::atomic<std::uint64_t> refusals{0};

// The first number after `key` in a small file of the host's; 0 if there is none, as for a control group's
// "max". Takes nothing from C++'s heap.
std::int64_t number_in(const char* file, std::string_view key = "") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in{std::fopen(file, "r"), &std::fclose};
  if (!in) return 0;
  std::array<char, 4096> buffer{};
  const std::string_view text{buffer.data(), std::fread(buffer.data(), 1, buffer.size(), in.get())};
  const std::size_t found = text.find(key);
  if (found == std::string_view::npos) return 0;
  const std::size_t first = std::min(text.find_first_not_of(" \t", found + key.size()), text.size());
  std::int64_t number = 0;
  (void)std::from_chars(text.data() + first, text.data() + text.size(), number);
  return std::max<std::int64_t>(number, 0);
}

// The process's own control group of version 2, as "/user.slice/a.scope".
std::string control_group() {
  constexpr std::string_view kVersion2 = "0::";
  std::ifstream in{"/proc/self/cgroup"};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kVersion2)) return line.substr(kVersion2.size());
  }
  return "";
}

// The host's memory, or less: each control group around the process may have a limit.
std::int64_t host_memory() {
  std::int64_t bytes = number_in("/proc/meminfo", "MemTotal:") * 1024;
  const auto limit_by = [&bytes](const std::string& file) {
    const std::int64_t group = number_in(file.c_str());
    if (group > 0) bytes = std::min(bytes, group);
  };
  limit_by("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  for (std::string group = control_group();; group.resize(group.rfind('/'))) {
    limit_by("/sys/fs/cgroup" + group + "/memory.max");
    if (group.rfind('/') == std::string::npos) break;
  }
  return bytes > 0 ? bytes : kMostElements;  // unknown: no limit
}

}  // namespace

// The second number, in pages. /proc/self/status has it, too, and takes the kernel several times as long.
Bytes resident_memory() { return Bytes{number_in("/proc/self/statm", " ") * sysconf(_SC_PAGESIZE)}; }

Bytes memory_limit() {
  if (limit == 0) limit = host_memory() / 4 * 3;
  return Bytes{limit};
}

void set_memory_limit(Bytes most) { limit = std::max<std::int64_t>(most.count(), 1); }

void require_memory(std::string_view what) {
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  ++refusals;
  throw Error{ExitCode::limit, fmt::format("{}: kbsim holds {} of memory, the limit is {} (--max-memory)",
                                           what, about(held), about(memory_limit()))};
}

void require_memory_for(Bytes need, std::string_view what) {
  const Bytes held = resident_memory();
  if (need <= memory_limit() - held) return;
  ++refusals;
  throw UsageError{
      fmt::format("{} needs about {} of memory beside the {} that kbsim holds; the limit is {} "
                  "(--max-memory)",
                  what, about(need), about(held), about(memory_limit()))};
}

std::uint64_t memory_refusals() { return refusals; }

std::string about(Bytes n) {
  constexpr std::array<std::string_view, 6> kPrefixes{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(n.count());
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < kPrefixes.size(); ++unit) size /= 1024.0;
  return fmt::format("{:.{}f} {}", size, unit == 0 || size >= 100.0 ? 0 : 1, kPrefixes[unit]);
}

}  // namespace kbsim
