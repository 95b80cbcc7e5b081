#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"

namespace kbsim::report {

/// At most `decimals` of them, and no zeros at their end: "204.8", "256".
[[nodiscard]] std::string number(double value, int decimals = 3);

/// In the unit that suits it: "204.8 GB/s", "65.5 TB/s".
[[nodiscard]] std::string rate(double gbs);

/// In the unit that suits it: "48 GiB", "1.5 TiB".
[[nodiscard]] std::string size(Bytes n);

}  // namespace kbsim::report
