#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kbsim {

/// How long each simulation's last event has been under way, by looks from another thread.
class Hangs {
 public:
  using Seconds = std::chrono::duration<double>;
  struct Hang {
    std::uint64_t run = 0;
    Seconds lasts{};
    std::string program;  // empty if it isn't known
    std::string since;
    /// "kernel copy on sip0.cube0.pe0 hasn't returned for 10 s of wall time since copy.cpp:42".
    [[nodiscard]] std::string text() const;
  };

  /// The longest hang, `passed` after the last look; none if all simulations go on.
  [[nodiscard]] std::optional<Hang> look(Seconds passed);
  void forget() { seen_.clear(); }

 private:
  struct Seen {
    std::uint64_t events = 0;
    std::uint64_t done = 0;  // by a function of the user's that makes numbers
    Seconds lasts{};
  };
  std::map<std::uint64_t, Seen> seen_;  // by run
};

}  // namespace kbsim
