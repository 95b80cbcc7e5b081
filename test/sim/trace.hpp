#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kbsim/sim/simulation.hpp"

namespace kbsim::test {

/// Events in order: "name@time".
using Trace = std::vector<std::string>;

inline void note(Trace* trace, const Simulation& sim, const std::string& what) {
  trace->push_back(what + "@" + to_string(sim.now()));
}

/// A task of one delay and one note.
inline Task<> note_after(Simulation* sim, Trace* trace, std::string what, Time d) {
  co_await sim->delay(d);
  note(trace, *sim, what);
}

inline Task<> sleep(Simulation* sim, Time d) { co_await sim->delay(d); }
inline Task<> sleep_for_ever(Simulation* sim) { co_await sim->delay(kForever); }

/// Counts how many of it are alive, in a place that outlives them; one that has been moved from is not.
class Counted {
 public:
  explicit Counted(int* alive) : alive_{alive} { ++*alive_; }
  Counted(const Counted& other) : Counted{other.alive_} {}
  Counted(Counted&& other) noexcept : alive_{std::exchange(other.alive_, nullptr)} {}
  Counted& operator=(Counted other) noexcept {
    std::swap(alive_, other.alive_);
    return *this;
  }
  ~Counted() {
    if (alive_ != nullptr) --*alive_;
  }

 private:
  int* alive_;
};

}  // namespace kbsim::test
