#pragma once

#include <cstdint>
#include <vector>

namespace kbsim {

/// A line of a kernel; `file` is a literal.
struct KernelLine {
  const char* file = "";
  std::uint32_t line = 0;
};

/// Lines of kernels as numbers from 1 on. Equal lines have equal numbers.
class KernelLines {
 public:
  [[nodiscard]] std::uint32_t number(const KernelLine& at);
  [[nodiscard]] const KernelLine& line(std::uint32_t number) const { return lines_[number]; }

 private:
  std::vector<KernelLine> lines_{1};
};

}  // namespace kbsim
