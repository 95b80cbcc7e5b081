#pragma once

#include <boost/json/object.hpp>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// True unless a caller keeps the result and doesn't want it, given everything that it depends on: options,
/// the contents of files that they name, the resolved configuration. `own`: the bench's options.
[[nodiscard]] bool is_wanted(const RunOptions& options, const boost::json::object& own,
                             const config::MachineSpec& machine, const config::CclSpec& ccl);

}  // namespace kbsim::app
