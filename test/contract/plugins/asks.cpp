// A bench with an option of each type. It prints the values, and reports a row of its own.
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

enum class Order : std::uint8_t { forward, backward };

struct AskOptions {
  std::int64_t n = 3;
  double share = 0.5;
  Time pause = 10_ns;
  Bytes size{4096};
  bool twice = false;
  Order order = Order::forward;
  std::string label = "plain";
  std::string file;

  static void describe(auto& f) {
    f.add("n,n", &AskOptions::n, between(1, 64), "how many");
    f.add("share", &AskOptions::share, between(0.0, 1.0), "of all");
    f.add("pause", &AskOptions::pause, kNotNegative, "between them");
    f.add("size,s", &AskOptions::size, between(1_KiB, 1_MiB), "of each");
    f.add("twice", &AskOptions::twice, "whether to ask again");
    f.choice("order", &AskOptions::order, {"forward", "backward"}, "which end comes first");
    f.add("label", &AskOptions::label, "a name");
    f.add("file,F", &AskOptions::file, "where to write").called("FILE").output();
  }
};

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  const auto& options = request.own.as<AskOptions>();
  if (options.n > machine.pes_per_cube())
    throw UsageError{fmt::format("--n {}: a cube has {} PEs", options.n, machine.pes_per_cube())};
}

Task<> asks(host::Rank& main, AskOptions options, BenchRequest request, BenchReport* report) {
  const host::Tensor x = co_await main.torch.zeros({options.n, 8}, f16, {.name = "x"});
  report->json = {{"n", options.n},
                  {"share", options.share},
                  {"pause_ns", to_ns(options.pause)},
                  {"size", options.size.count()},
                  {"twice", options.twice},
                  {"order", options.order == Order::forward ? "forward" : "backward"},
                  {"label", options.label},
                  {"given", request.own.given("label")}};
}
KBSIM_BENCH(asks, "says what it was asked", .algorithms = Algorithms::none, .check = check);

}  // namespace
}  // namespace kbsim::app
