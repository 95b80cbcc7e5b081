#pragma once

#include <cmath>
#include <cstdint>

#include "kbsim/base/random.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::hw {

/// The send times of a source, in service times of packets of `flits` flits.
class ArrivalTimes {
 public:
  ArrivalTimes(Arrivals arrivals, double rate, double flits)
      : arrivals_{arrivals}, rate_{rate}, slots_{flits * std::ceil(rate / flits)} {}

  double next(Random& random) {
    switch (arrivals_) {
      case Arrivals::poisson: return now_ += random.exponential() / rate_;
      case Arrivals::bernoulli: return now_ += static_cast<double>(random.geometric(rate_ / slots_)) / slots_;
      case Arrivals::saturated: return now_;
    }
    return now_;
  }
  /// The packet of the last time keeps the source's link busy for `services`.
  void sent(double services) {
    if (arrivals_ == Arrivals::saturated) now_ += services;
  }

 private:
  Arrivals arrivals_;
  double rate_;
  double slots_;  // slots per service time in which a packet may be sent
  double now_ = 0.0;
};

}  // namespace kbsim::hw
