#pragma once

namespace kbsim::app {

/// Opens what the shell has closed of stdin, stdout and stderr, so that no file of a run gets their numbers:
/// stdout such that writing to it fails as before, stderr such that it swallows all.
void open_closed_streams();

}  // namespace kbsim::app
