#include "memory_option.hpp"

#include <string>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"

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
      "memory that kbsim may hold, as 4GiB (default: three quarters of the host's, so that a runaway isn't "
      "killed by it): refuse what is known to need more (exit code 2), stop where it does (exit code 4)");
}

}  // namespace kbsim::app
