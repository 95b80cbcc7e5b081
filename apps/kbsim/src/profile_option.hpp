#pragma once

#include <boost/program_options/options_description.hpp>

namespace kbsim::app {

/// --profile-self, of every command that simulates or computes: the process is sampled as soon as it is read.
void describe_profile(boost::program_options::options_description& to);

/// Where the time of this process went, on stderr, if it was asked for.
void say_profile();

}  // namespace kbsim::app
