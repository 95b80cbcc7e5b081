#include "kbsim/evaluate/traffic_sweep.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/evaluate/parallel.hpp"

namespace kbsim::evaluate {

std::vector<double> sweep_loads(double bound, double fastest) {
  std::vector<double> loads{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2};
  std::erase_if(loads, [&](double load) { return load * bound > fastest; });
  return loads;
}

TrafficSweep sweep_traffic(const topology::TrafficCase& traffic, const hw::TrafficRequest& request,
                           const std::vector<double>& loads, unsigned threads, bool progress) {
  hw::TrafficRequest least = request;
  least.rate = loads.front() * traffic.bound;
  hw::check_request(least);  // reports mistakes of every load before any is simulated
  std::vector<hw::TrafficResult> results(loads.size());
  std::vector<std::optional<Error>> failures(loads.size());
  const std::vector<bool> ended =
      in_parallel(loads.size(), "points", {.threads = threads, .progress = progress}, [&](std::size_t i) {
        hw::TrafficRequest point = request;
        point.rate = loads[i] * traffic.bound;
        try {
          results[i] = hw::run_traffic(traffic, point);
        } catch (const Error& error) {
          if (error.exit_code() == ExitCode::interrupted) throw;
          failures[i] = Error{error.exit_code(), fmt::format("load {:.3g}: {}", loads[i], error.what())};
        }
      });
  TrafficSweep sweep;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (failures[i] && !sweep.failed) sweep.failed = failures[i];
    if (ended[i] && !failures[i]) sweep.points.push_back(std::move(results[i]));
  }
  return sweep;
}

}  // namespace kbsim::evaluate
