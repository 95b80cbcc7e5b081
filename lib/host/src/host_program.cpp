#include "kbsim/host/host_program.hpp"

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

void HostProgram::run_to_end(Task<> program) {
  const Process main = session_.sim().spawn("main", main_.run(std::move(program)));
  session_.run();
}

}  // namespace kbsim::host
