#pragma once

#include <string>

namespace kbsim::test {

/// How a run of the command ended.
struct Outcome {
  int exit = 0;
  std::string out;
  std::string err;
};

/// Runs `kbsim ARGUMENTS` as a user would, in an empty folder.
[[nodiscard]] Outcome run_kbsim(const std::string& arguments);
/// Runs a shell script in an empty folder, with the command's path in $KBSIM.
[[nodiscard]] Outcome run_script(const std::string& script);

/// The default machine's topology file, changed: every `from` must occur and becomes `to`.
/// Gives the path of the changed copy.
[[nodiscard]] std::string changed_topology(const std::string& from, const std::string& to);
/// A new file of this name and contents; gives its path.
[[nodiscard]] std::string written(const std::string& name, const std::string& text);

/// The text on one line, with a single blank between words: for sentences that are wrapped.
[[nodiscard]] std::string unwrapped(const std::string& text);

inline const std::string kMainJob = "--topology topology.yaml --bench ccl_allreduce";

}  // namespace kbsim::test
