#include "kbsim/report/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace kbsim::report {

std::optional<std::size_t> terminal_width(int descriptor) {
  constexpr std::size_t kUsual = 80;
  if (isatty(descriptor) == 0) return std::nullopt;
  struct winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace kbsim::report
