#pragma once

namespace kbsim::app {

/// Opens each of stdin, stdout and stderr that the shell has closed, so that no file of a run gets its
/// number. Writes to that stdout fail as before; that stderr swallows all.
void open_closed_streams();

}  // namespace kbsim::app
