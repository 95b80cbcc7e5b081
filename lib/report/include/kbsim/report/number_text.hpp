#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"

namespace kbsim::report {

/// With at most `decimals` decimals, without zeros at the end: "204.8", "256".
[[nodiscard]] std::string number(double value, int decimals = 3);

/// In a suitable unit: "204.8 GB/s", "65.5 TB/s".
[[nodiscard]] std::string rate(double gbs);

/// In a suitable unit: "48 GiB", "1.5 TiB".
[[nodiscard]] std::string size(Bytes n);

}  // namespace kbsim::report
