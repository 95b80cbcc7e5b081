#pragma once

namespace kbsim::app {

/// Opens what the shell has closed of stdin, stdout and stderr, so that no file of a run gets their numbers:
/// stdout such that writing to it fails as before, stderr such that it swallows all.
void open_closed_streams();

/// SIGUSR1 makes the command say where it stands, and changes nothing else.
void tell_on_request();

}  // namespace kbsim::app
