#include "streams.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "kbsim/base/standing.hpp"

namespace kbsim::app {

void open_closed_streams() {
  constexpr std::array kModes{O_RDONLY, O_RDONLY, O_WRONLY};  // by descriptor
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1)  // the lowest free number is this one
      (void)open("/dev/null", kModes[static_cast<std::size_t>(descriptor)]);
  }
}

void tell_on_request() {
  struct sigaction action{};
  action.sa_handler = [](int) { say_standing(); };
  action.sa_flags = SA_RESTART;
  (void)sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace kbsim::app
