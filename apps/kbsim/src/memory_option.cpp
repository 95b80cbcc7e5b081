#include "memory_option.hpp"

#include <string>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

#include "size_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

void limit_memory(const std::string& text) {
  const Bytes limit = size_given("--max-memory", text);
  if (limit < 1_MiB) throw UsageError{fmt::format("--max-memory must be at least 1 MiB, got '{}'", text)};
  set_memory_limit(limit);
}

}  // namespace

void describe_memory(po::options_description& to) {
  to.add_options()(
      "max-memory", po::value<std::string>()->value_name("SIZE")->notifier(limit_memory),
      "memory that kbsim may use, e.g. 4GiB (default: three quarters of the host's, so that the host doesn't "
      "kill a runaway): refuse a run that is known to need more (exit code 2), stop one that does "
      "(exit code 4)");
}

}  // namespace kbsim::app
