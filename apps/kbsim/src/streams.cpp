#include "streams.hpp"

#include <array>

#include <fcntl.h>
#include <unistd.h>

namespace kbsim::app {

void open_closed_streams() {
  constexpr std::array kModes{O_RDONLY, O_RDONLY, O_WRONLY};  // by descriptor
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1)  // the lowest free number is this one
      (void)open("/dev/null", kModes[static_cast<std::size_t>(descriptor)]);
  }
}

}  // namespace kbsim::app
