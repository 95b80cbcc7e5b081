#pragma once

#include <string>

namespace kbsim::report {

/// A figure's data and the gnuplot script that draws `name`.png and `name`.svg from `name`.csv.
struct Figure {
  std::string name;
  std::string data;
  std::string script;
};

}  // namespace kbsim::report
