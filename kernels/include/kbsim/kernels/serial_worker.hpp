#pragma once

#include "kbsim/kernels/window.hpp"

namespace kbsim::collective {

/// Keys of kernels in which a library's worker may be modelled: a core that handles one message after
/// another.
struct WorkerSpec {
  bool serial = false;
  Time packet{};

  static void describe(auto& f) {
    f.add("serial", &WorkerSpec::serial,
          "a PE handles one message of its own data after another: loads it, then sends it");
    f.add("packet_ns", &WorkerSpec::packet, at_least(0.0),
          "work of a PE's CPU after each message of its own, in the library's code; with serial: true");
  }

  /// The keys of a launch. UsageError if packet_ns has no effect, as messages aren't serial.
  template <class Spec>
  [[nodiscard]] static Spec of(const CollectiveArgs& args) {
    const auto spec = args.own.as<Spec>();
    spec.require();
    return spec;
  }
  /// The budget of loads: one at a time if messages are serial.
  [[nodiscard]] TcmBudget limited(TcmBudget budget) const;
  /// The work after a message.
  void handled(TL& tl) const;

 private:
  void require() const;
};

}  // namespace kbsim::collective
