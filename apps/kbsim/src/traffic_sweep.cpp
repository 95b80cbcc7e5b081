#include "traffic_sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>

namespace kbsim::app {
namespace {

/// Counts the points that have ended, and guesses how long the rest will take.
class Progress {
 public:
  Progress(std::size_t points, bool shown) : points_{points}, shown_{shown} {}

  void ended(double load) {
    const std::scoped_lock lock{mutex_};
    ++done_;
    if (!shown_) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double left = spent.count() / static_cast<double>(done_) * static_cast<double>(points_ - done_);
    fmt::print(stderr, "traffic: load {:.2f} done, {} of {} points, about {:.0f} s left\n", load, done_,
               points_, left);
  }

 private:
  std::size_t points_;
  bool shown_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace

std::vector<double> sweep_loads(double bound) {
  std::vector<double> loads{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2};
  std::erase_if(loads, [bound](double load) { return load * bound > 1.0; });
  return loads;
}

std::vector<hw::TrafficResult> sweep_traffic(const topology::TrafficCase& traffic,
                                             const hw::TrafficRequest& request,
                                             const std::vector<double>& loads, unsigned threads,
                                             bool progress) {
  std::vector<hw::TrafficResult> results(loads.size());
  std::vector<std::exception_ptr> errors(loads.size());
  Progress shown{loads.size(), progress};
  boost::asio::thread_pool pool{threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency())};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    boost::asio::post(pool, [&, i] {
      try {
        hw::TrafficRequest point = request;
        point.rate = loads[i] * traffic.bound;
        results[i] = hw::run_traffic(traffic, point);
        shown.ended(loads[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  pool.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace kbsim::app
