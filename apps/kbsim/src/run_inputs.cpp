#include "run_inputs.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "bench_options.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

config::BufferKind buffer_kind_named(const std::string& name) {
  if (const auto kind = config::buffer_kind_of(name)) return *kind;
  throw UsageError{fmt::format("--buffer-kind must be tcm, hbm or sram, got '{}'{}", name,
                               near_hint(name, {"tcm", "hbm", "sram"}))};
}

}  // namespace

void describe_bench(RunInputs& inputs, po::options_description& to) {
  auto add = to.add_options();
  add("bench", po::value(&inputs.bench)->value_name("NAME")->required(), "the bench to run; see kbsim list");
  add("algorithm", po::value(&inputs.algorithm)->value_name("NAME"),
      "collective algorithm of the ccl file, or a plan's file: MSCCL's XML, MSCCL++'s JSON (default: its "
      "defaults.algorithm)");
  add("buffer-kind", po::value<std::string>()->value_name("tcm|hbm|sram"),
      "memory of the slots of its queues, in place of the ccl file's: tcm, hbm or sram");
  add("device", po::value(&inputs.device)->value_name("sip:N|all"),
      "the package that the bench runs on, or all for a copy on each (default: as the bench says)");
}

void describe_events(RunInputs& inputs, po::options_description& to) {
  auto add = to.add_options();
  add("shuffle-ties", whole("shuffle-ties", "SEED", {}, &inputs.shuffle_ties),
      "run events of equal time in random order; no result may change");
  add("exact-packets", po::bool_switch(&inputs.exact_packets),
      "simulate one event per packet and hop: the same numbers, slower; --explain and "
      "--parallel-bound always do");
}

void describe_threads(RunInputs& inputs, po::options_description& to) {
  to.add_options()(
      "num-threads", whole("num-threads", "N", {.most = 1024}, &inputs.num_threads),
      "threads that compute the numbers (default: all); two or more also simulate packages in parallel where "
      "possible (default: one)");
}

void take_values(const po::variables_map& values, RunInputs& inputs) {
  if (const po::variable_value& kind = values["buffer-kind"]; !kind.empty())
    inputs.buffer_kind = buffer_kind_named(kind.as<std::string>());
  inputs.own = values_of(options_of_bench(inputs.bench), values);
}

}  // namespace kbsim::app
