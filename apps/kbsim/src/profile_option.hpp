#pragma once

#include <boost/program_options/options_description.hpp>

namespace kbsim::app {

/// --profile-self, of every command that simulates or computes. Sampling of the process starts as soon as it
/// is read.
void describe_profile(boost::program_options::options_description& to);

/// Prints on stderr how the process spent its time, if that was asked for.
void say_profile();

}  // namespace kbsim::app
