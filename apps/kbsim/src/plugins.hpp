#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

namespace kbsim::app {

/// The option --kernels FILE, repeatable.
void describe_kernels(boost::program_options::options_description& to, std::vector<std::string>* files);

/// Loads shared objects whose kernels and benches then are known by name, until the process ends.
/// UsageError naming the file: not there, not a shared object, built with another kbsim's headers, given
/// twice, without a kernel or bench, or with one whose name is taken.
void load_kernels(const std::vector<std::string>& files);

/// InternalError if two of the built-in kernels or benches have one name.
void require_no_conflicts();

}  // namespace kbsim::app
