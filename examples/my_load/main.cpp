// my_load [NS]: requests to two PEs of a simulated package, one every NS nanoseconds in the mean. It prints
// how long the answers took, in simulated time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <kbsim/base/error.hpp>
#include <kbsim/config/installed.hpp>
#include <kbsim/host/host_program.hpp>
#include <kbsim/hw/fabric/model_catalog.hpp>
#include <kbsim/sim/async_run.hpp>
#include <kbsim/sim/in_task.hpp>
#include <kbsim/sim/simulated_timer.hpp>
#include <kbsim/tl/kernel.hpp>

#include "service.hpp"

namespace {

namespace asio = boost::asio;
namespace config = kbsim::config;
using kbsim::Task, kbsim::Tile, kbsim::Time, kbsim::TL;
using kbsim::host::Rank, kbsim::host::Tensor;
using namespace kbsim::literals;

constexpr std::int64_t kRows = 64;
constexpr std::int64_t kColumns = 64;
constexpr int kPes = 2;

struct AnswerArgs {
  kbsim::Ptr x;
  kbsim::Ptr y;
};

// The answer to a request, on one PE.
Task<> answer(TL& tl, AnswerArgs args) {
  const Tile x = co_await tl.load(args.x, {kRows, kColumns}, args.x.dtype);
  const Tile product = tl.dot(x, x);
  co_await tl.store(args.y, product.to(kbsim::f16));
}
KBSIM_KERNEL(answer, "multiplies a matrix by itself");

struct Matrices {
  Tensor x;
  Tensor y;
};

Task<> launch(Rank& rk, Matrices matrices, int pe) {
  const std::int64_t part = pe * kRows * kColumns;
  const AnswerArgs args{.x = matrices.x.ptr() + part, .y = matrices.y.ptr() + part};
  co_await rk.launch("answer", {matrices.x, matrices.y}, args, {.target_pe = pe});
}

// For Asio: an operation that is done when the launch is.
struct Launch {
  Rank& rk;
  Matrices matrices;
  asio::awaitable<void> operator()(int pe) const {
    return kbsim::async_run(rk.session().sim(), fmt::format("request on PE {}", pe), launch(rk, matrices, pe),
                            asio::use_awaitable);
  }
};

using Load = my_load::Load<Time>;
using Outcome = my_load::Outcome<Time>;

struct Arguments {
  Load load;
  Outcome* outcome = nullptr;
};

Task<> program(Rank& main, Arguments arguments) {
  const kbsim::topology::DPPolicy a_part_each{
      .pe = kbsim::topology::Split::row_wise, .num_cubes = 1, .num_pes = kPes};
  const kbsim::Shape shape{kPes * kRows, kColumns};
  const Tensor x = co_await main.torch.full(shape, 0.5, kbsim::f16, {.dp = a_part_each, .name = "x"});
  const Tensor y = co_await main.torch.empty(shape, kbsim::f16, {.dp = a_part_each, .name = "y"});
  const auto executor = kbsim::executor_of(main.session().sim());
  my_load::Service<kbsim::SimulatedTimer, Launch> service{executor, arguments.load, Launch{main, {x, y}}};
  *arguments.outcome = co_await asio::co_spawn(executor, service.run(), kbsim::in_task("the load"));
}

int run(Time period) {
  if (period <= Time{}) throw kbsim::UsageError{"NS must be above 0"};
  const config::Configuration loaded = config::load({.file = "topology.yaml",
                                                     .overrides = {},
                                                     .catalog = kbsim::hw::ModelCatalog{},
                                                     .folders = config::installed_configs()},
                                                    "");
  const Load load{.requests = 200, .period = period, .limit = 1500_ns, .waiting = 8};
  Outcome outcome;
  kbsim::host::HostProgram simulated{loaded.machine, loaded.ccl};
  simulated.run(program, {load, &outcome});
  fmt::print("{} requests, one every {}: {} answered, {} late, {} refused\n", load.requests,
             kbsim::to_string(period), outcome.latencies.size(), outcome.late, outcome.refused);
  const auto ns = [&](std::size_t percent) { return kbsim::to_ns(outcome.percentile(percent)); };
  fmt::print("p50 {:.3f} ns, p90 {:.3f} ns, p99 {:.3f} ns, ends at {:.3f} ns\n", ns(50), ns(90), ns(99),
             kbsim::to_ns(simulated.session().sim().now()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(kbsim::from_ns(argc > 1 ? std::strtod(argv[1], nullptr) : 200.0));
  } catch (const std::exception& error) {
    fmt::print(stderr, "my_load: {}\n", error.what());
    return 2;
  }
}
