#pragma once

#include <boost/program_options/options_description.hpp>

namespace kbsim::app {

/// --max-memory, of every command that simulates or computes. The limit applies as soon as it is read.
void describe_memory(boost::program_options::options_description& to);

}  // namespace kbsim::app
