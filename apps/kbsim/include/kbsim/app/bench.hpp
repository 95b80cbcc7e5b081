#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/app/result_row.hpp"
#include "kbsim/base/abi.hpp"
#include "kbsim/base/options.hpp"
#include "kbsim/base/registry_fwd.hpp"
#include "kbsim/evaluate/algorithms.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::config {
struct AlgorithmSpec;
struct CclSpec;
struct MachineSpec;
}  // namespace kbsim::config

namespace kbsim::app {

/// A bench's results, which the command prints and judges. If `json` is empty, one row per launch replaces
/// it.
struct BenchReport {
  bool correct = true;
  std::string wrong;                 // if not correct: the wrong values, for stderr and JSON
  std::string text;                  // lines for people
  std::vector<std::string> tensors;  // --verify-data's lines, after the text and in the JSON
  ResultRow json;
};

/// The user's settings for a run of a bench.
struct BenchRequest {
  bool verify_data = false;    // a line per tensor as well
  bool values = true;          // numbers are computed; see --timing-only
  int sip = 0;                 // the first package that it runs on: --device
  OptionValues own = {};       // values of the bench's own options
  std::string algorithm = {};  // --algorithm; "": the default one
  bool buffer_kind = false;    // --buffer-kind was given
};

using evaluate::Algorithms;
using evaluate::UnusedKey;

/// The packages that a bench runs on. They decide which values --device accepts.
enum class Devices {
  own,      // the bench chooses them itself: no --device
  current,  // the rank's current package: sip:N, or all for a copy on each
  all,      // all packages: all
};

/// The host program of a bench: a coroutine function, which may take a struct of options that describes
/// itself (kbsim/base/options.hpp).
class BenchProgram {
  using Run = std::function<Task<>(host::Rank&, BenchRequest, BenchReport*)>;

 public:
  BenchProgram(Task<> (*program)(host::Rank&, BenchRequest, BenchReport*)) : run_{program} {}

  template <class Options>
  BenchProgram(Task<> (*program)(host::Rank&, Options, BenchRequest, BenchReport*))
      : options_{described_options<Options>()},
        run_{program == nullptr ? Run{}
                                : [program](host::Rank& main, BenchRequest request, BenchReport* report) {
                                    Options options = request.own.as<Options>();
                                    return program(main, std::move(options), std::move(request), report);
                                  }} {}

  [[nodiscard]] const OptionSet& options() const { return options_; }
  [[nodiscard]] bool has_function() const { return run_ != nullptr; }
  Task<> operator()(host::Rank& main, BenchRequest request, BenchReport* report) const {
    return run_(main, std::move(request), report);
  }

 private:
  OptionSet options_;
  Run run_;
};

/// A host program known by name: it runs on the main rank and fills in the report.
struct Bench {
  std::string doc;
  BenchProgram run;
  Algorithms algorithms = Algorithms::any;
  std::vector<UnusedKey> unused = {};
  Devices devices = Devices::own;
  /// The program uses the machine by messages alone and never reads its state while it runs. Its packages may
  /// then be simulated in parallel.
  bool by_messages = false;
  /// The key of the machine's section `software` that the program prints times with; empty: none.
  std::string prints_software = {};
  /// Throws UsageError if the bench can't run on this machine. Called before a run, and by --dry-run.
  std::function<void(const config::MachineSpec&, const config::AlgorithmSpec&, BenchRequest)> check = {};
  /// The queues of its kernels, in place of an algorithm's: the session's algorithm. For Algorithms::none.
  std::function<config::AlgorithmSpec(const config::MachineSpec&)> queues = {};
  /// For Algorithms::any: names of the algorithms that run. Settings of others are refused. Not given: any
  /// may run.
  std::function<std::vector<std::string>(const BenchRequest&, const config::CclSpec&)> runs = {};
  [[nodiscard]] bool has_function() const { return run.has_function(); }
};
[[nodiscard]] Registry<Bench>& benches();

/// Always true. `abi` is KBSIM_ABI as compiled into the bench's file.
bool register_bench(std::string name, Bench bench, const char& abi) noexcept;

/// Registers `Task<> name(host::Rank&, BenchRequest, BenchReport*)` by its name, in its own file. The
/// function may take a struct of options after the rank. Members of Bench may follow, as `.algorithms =
/// Algorithms::none`.
#define KBSIM_BENCH(name, text, ...)                                   \
  static const bool kRegistered_##name = ::kbsim::app::register_bench( \
      #name, ::kbsim::app::Bench{.doc = text, .run = name __VA_OPT__(, ) __VA_ARGS__}, KBSIM_ABI)

}  // namespace kbsim::app
