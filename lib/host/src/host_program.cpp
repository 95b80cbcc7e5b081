#include "kbsim/host/host_program.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/replay/prints.hpp"

namespace kbsim::host {
namespace {

config::AlgorithmSpec default_of(const config::CclSpec& ccl) {
  return ccl.algorithms.empty() ? config::AlgorithmSpec{} : ccl.resolve("");
}

SessionOptions with(config::CclSpec ccl, SessionOptions options) {
  options.ccl = std::move(ccl);
  return options;
}

}  // namespace

HostProgram::HostProgram(config::MachineSpec machine, config::CclSpec ccl, SessionOptions options)
    : session_{std::move(machine), default_of(ccl), with(std::move(ccl), std::move(options))} {}

void HostProgram::require_whole(const Here& at) const {
  if (is_whole_) return;
  throw UsageError{
      fmt::format("{}: HostProgram::run: an earlier run stopped in the midst of its program, as "
                  "its error said; make a new HostProgram",
                  to_string(to_place(at)))};
}

// The log has the lines of all runs.
void HostProgram::print_lines() {
  if (!session_.has_values()) return;
  const std::vector<std::string> lines = replay::prints(session_.log(), session_.replay());
  for (; printed_ < lines.size(); ++printed_) say("{}\n", lines[printed_]);
}

void HostProgram::run_to_end(Task<> program) {
  const Process main = session_.sim().spawn("main", main_->run(std::move(program)));
  try {
    session_.run();
    print_lines();
  } catch (...) {
    is_whole_ = main.done();
    if (is_whole_) main_.emplace(session_, world_, 0);
    throw;
  }
}

}  // namespace kbsim::host
