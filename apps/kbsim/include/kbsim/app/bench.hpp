#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/options.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/evaluate/uses.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::app {

/// What a bench leaves for the command to print and to judge. Where `json` stays empty, a row for each launch
/// stands in its place.
struct BenchReport {
  bool correct = true;
  std::string wrong;                 // if not correct: which values, for stderr and JSON
  std::string text;                  // lines for people
  std::vector<std::string> tensors;  // of --verify-data: a line each, after the text and in the JSON
  boost::json::object json;
};

/// What the user asked of a bench.
struct BenchRequest {
  bool verify_data = false;    // a line per tensor as well
  bool values = true;          // numbers are computed; see --timing-only
  int sip = 0;                 // the first package that it runs on: --device
  OptionValues own = {};       // of the bench's own options
  std::string algorithm = {};  // --algorithm; "": the default one
  bool buffer_kind = false;    // there is --buffer-kind
};

using evaluate::Algorithms;
using evaluate::UnusedKey;

/// The packages that a bench runs on, and so what --device may say.
enum class Devices {
  own,      // those that it chooses itself: nothing
  current,  // the rank's current one: sip:N, or all for a copy on each
  all,      // all of them: all
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
  /// Its program reaches the machine by messages alone, and never looks into it while it runs: packages may
  /// be simulated side by side.
  bool by_messages = false;
  /// UsageError for what can't run on this machine: asked before a run, and by --dry-run.
  std::function<void(const config::MachineSpec&, const config::AlgorithmSpec&, BenchRequest)> check = {};
  /// Of Algorithms::any: the algorithms that it runs, by name. Settings of others are refused. Not given: any
  /// may run.
  std::function<std::vector<std::string>(const BenchRequest&, const config::CclSpec&)> runs = {};
  [[nodiscard]] bool has_function() const { return run.has_function(); }
};
[[nodiscard]] Registry<Bench>& benches();

/// Always true. `abi` is KBSIM_ABI as the bench's file saw it.
bool register_bench(std::string name, Bench bench, const char& abi) noexcept;

/// Makes `Task<> name(host::Rank&, BenchRequest, BenchReport*)`, or one with a struct of options after the
/// rank, known by its name, in its own file; more of Bench's members may follow, as
/// `.algorithms = Algorithms::none`.
#define KBSIM_BENCH(name, text, ...)                                   \
  static const bool kRegistered_##name = ::kbsim::app::register_bench( \
      #name, ::kbsim::app::Bench{.doc = text, .run = name __VA_OPT__(, ) __VA_ARGS__}, KBSIM_ABI)

}  // namespace kbsim::app
