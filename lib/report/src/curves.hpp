#pragma once

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

namespace kbsim::report {

/// A number by place on the x axis, by the name of the curve.
using Curves = std::map<std::string, std::map<double, double>>;

/// A row a place, a column a curve; NaN where a curve has no number.
inline std::string table(const std::string& axis, const Curves& curves) {
  std::set<double> places;
  std::string text = axis;
  for (const auto& [name, curve] : curves) {
    text += "," + name;
    for (const auto& [place, value] : curve) places.insert(place);
  }
  for (const double place : places) {
    text += fmt::format("\n{:.0f}", place);
    for (const auto& [name, curve] : curves) {
      const auto found = curve.find(place);
      text += found == curve.end() ? ",NaN" : fmt::format(",{:.6g}", found->second);
    }
  }
  return text + "\n";
}

}  // namespace kbsim::report
