#pragma once

#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::app {

/// What a bench leaves for the command to print and to judge.
struct BenchReport {
  bool correct = true;
  std::string text;  // lines for people
  boost::json::object json;
};

/// What the user asked of a bench.
struct BenchRequest {
  bool verify_data = false;  // a line per tensor as well
};

/// A host program known by name: it runs on the main rank and fills in the report.
struct Bench {
  std::string doc;
  std::function<Task<>(host::Rank& main, BenchRequest request, BenchReport* report)> run;
};
[[nodiscard]] Registry<Bench>& benches();

/// Always true. `abi` is KBSIM_ABI as the bench's file saw it.
bool register_bench(std::string name, Bench bench, const char& abi) noexcept;

/// Makes `Task<> name(host::Rank&, BenchRequest, BenchReport*)` known by its name, in its own file.
#define KBSIM_BENCH(name, doc)           \
  static const bool kRegistered_##name = \
      ::kbsim::app::register_bench(#name, ::kbsim::app::Bench{doc, name}, KBSIM_ABI)

}  // namespace kbsim::app
