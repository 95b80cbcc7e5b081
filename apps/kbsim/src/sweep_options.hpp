#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/program_options/options_description.hpp>

#include "kbsim/sweep/result_files.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

#include "commands.hpp"

namespace kbsim::app {

extern const std::string kSweepUsage;
extern const std::string kSweepExamples;

/// The options of kbsim sweep, as they were given.
struct SweepOptions {
  std::string plan;
  std::string bench;
  std::string topology;
  std::string ccl;
  std::vector<std::string> plugins;
  std::vector<std::string> set;
  std::vector<std::string> vary;
  std::vector<std::string> zip;
  std::vector<std::string> where;
  std::string random;
  std::string out;
  std::optional<std::int64_t> jobs;
  std::optional<double> timeout;
  std::string memory;
  std::string shard;
  std::string verify;
  sweep::TableOptions tables;
  bool links = false;
  bool dry_run = false;
  bool quiet = false;
};
[[nodiscard]] boost::program_options::options_description description(SweepOptions& options);
void describe(sweep::TableOptions& options, boost::program_options::options_description_easy_init& add);

/// The plan file first; the command line adds to it. `rest`: arguments of the bench.
[[nodiscard]] sweep::Plan plan_of(const SweepOptions& options, const Arguments& rest);

/// Options of the worker pool. Under mpirun each rank runs one point at a time.
[[nodiscard]] sweep::PoolOptions pool_of(const SweepOptions& options, sweep::Ranks* ranks);

}  // namespace kbsim::app
