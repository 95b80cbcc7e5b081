#pragma once

// A service under load, in Asio's words: requests come at a rate, whatever becomes of them; two workers take
// them from a queue; a request that isn't answered in time is given up. It takes its time from its timer, so
// it runs in simulated time as in any other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace my_load {

namespace asio = boost::asio;
using boost::system::error_code;

template <class Duration>
struct Load {
  int requests = 100;
  Duration period{};        // between two requests, in the mean
  Duration limit{};         // for an answer
  std::size_t waiting = 8;  // requests in the queue
};

template <class Duration>
struct Outcome {
  std::vector<Duration> latencies{};  // of answered requests, ascending
  int refused = 0;                    // the queue was full
  int late = 0;                       // given up

  [[nodiscard]] Duration percentile(std::size_t percent) const {
    return latencies.empty() ? Duration{} : latencies[(latencies.size() - 1) * percent / 100];
  }
};

/// `Timer` has the interface of asio::steady_timer; answer(worker) is an asio::awaitable<void>.
template <class Timer, class Answer>
class Service {
 public:
  using Executor = typename Timer::executor_type;
  using Duration = typename Timer::duration;
  using TimePoint = typename Timer::time_point;

  Service(Executor executor, Load<Duration> load, Answer answer)
      : executor_{executor}, load_{load}, answer_{answer}, queue_{executor, load.waiting} {}

  asio::awaitable<Outcome<Duration>> run() {
    using namespace asio::experimental::awaitable_operators;
    co_await (send() && work(0) && work(1));
    std::ranges::sort(outcome_.latencies);
    co_return std::move(outcome_);
  }

 private:
  struct Request {
    TimePoint sent;
  };
  using Queue = asio::experimental::channel<void(error_code, std::optional<Request>)>;

  // Open loop: a slow answer doesn't delay the next request.
  asio::awaitable<void> send() {
    std::minstd_rand random;
    Timer timer{executor_, Duration{}};
    for (int i = 0; i < load_.requests; ++i) {
      const auto wait = static_cast<std::int64_t>(random()) % (2 * load_.period.count());
      timer.expires_at(timer.expiry() + Duration{wait});
      co_await timer.async_wait(asio::use_awaitable);
      if (!queue_.try_send(error_code{}, Request{timer.expiry()})) ++outcome_.refused;
    }
    for (int worker = 0; worker < 2; ++worker)
      co_await queue_.async_send(error_code{}, std::nullopt, asio::use_awaitable);
  }

  asio::awaitable<void> work(int worker) {
    for (;;) {
      const std::optional<Request> request = co_await queue_.async_receive(asio::use_awaitable);
      if (!request) co_return;
      const bool in_time = co_await answers(worker, request->sent + load_.limit);
      if (in_time) outcome_.latencies.push_back(now() - request->sent);
      if (!in_time) ++outcome_.late;
    }
  }

  // Answer and timer race: the first that ends cancels the other.
  asio::awaitable<bool> answers(int worker, TimePoint limit) {
    using namespace asio::experimental::awaitable_operators;
    if (now() >= limit) co_return false;
    Timer timer{executor_};
    timer.expires_at(limit);
    const auto first = co_await (answer_(worker) || timer.async_wait(asio::use_awaitable));
    co_return first.index() == 0;
  }

  [[nodiscard]] TimePoint now() const { return Timer{executor_, Duration{}}.expiry(); }

  Executor executor_;
  Load<Duration> load_;
  Answer answer_;
  Queue queue_;
  Outcome<Duration> outcome_;
};

}  // namespace my_load
