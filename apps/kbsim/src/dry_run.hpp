#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::app {

/// A run as --dry-run describes it.
struct Plan {
  std::string bench;
  std::string doc;
  boost::json::object options = {};  // the bench's own, with their defaults
  std::string topology;
  const config::MachineSpec& machine;
  bool own_packages = false;                         // each simulation sets its own number of packages
  const config::AlgorithmSpec* algorithm = nullptr;  // none: no collective, or several
  std::vector<std::string> files = {};               // that the run would write
  std::string more = {};                             // the bench's own lines
};

/// Lines for people, as --dry-run prints them: machine, algorithm, where its ranks are, sizes and files.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace kbsim::app
