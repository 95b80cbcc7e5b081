// kbsim completion: what a shell needs to complete commands, options and their values, made from the options.
#include <iostream>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"

#include "commands.hpp"
#include "completion_bash.hpp"
#include "completion_zsh.hpp"
#include "parse_options.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

ExitCode completion(const Arguments& arguments) {
  std::string shell;
  po::options_description all;
  all.add_options()("shell", po::value(&shell)->value_name("bash|zsh"), "for which shell");
  parse_options(arguments, all,
                {.usage = "kbsim completion bash|zsh",
                 .examples = "\nexamples:\n  source <(kbsim completion bash)\n"
                             "  kbsim completion zsh > ~/.zfunc/_kbsim\n",
                 .positional = "shell"});
  if (shell == "bash") {
    std::cout << bash_completion();
  } else if (shell == "zsh") {
    std::cout << zsh_completion();
  } else {
    throw UsageError{fmt::format("completion: expected bash or zsh, got {}{}",
                                 shell.empty() ? "neither" : shell, near_hint(shell, {"bash", "zsh"}))};
  }
  return ExitCode::ok;
}

}  // namespace kbsim::app
