#include "kbsim/evaluate/direct_run.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/host/launch_args.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {
namespace {

struct Package {
  host::Tensor in;
  std::optional<host::Tensor> out;  // none: in place
  [[nodiscard]] const host::Tensor& result() const { return out ? *out : in; }
  [[nodiscard]] std::vector<host::Tensor> tensors() const {
    return out ? std::vector{in, *out} : std::vector{in};
  }
};

// Parts on the first cube; each other cube has the same number.
int parts_a_cube(const host::Tensor& tensor) {
  const int first = tensor.shards().front().spec.at.cube;
  return static_cast<int>(std::ranges::count(tensor.shards(), first,
                                             [](const host::Shard& shard) { return shard.spec.at.cube; }));
}

CollectiveArgs args_of(const host::Session& session, const CollectiveData& data, int sip,
                       const Package& package) {
  const CollectiveProblem& problem = data.problem();
  CollectiveArgs args = host::collective_args(session.spec(), session.algorithm(), sip, package.in.ptr(),
                                              problem.n_elem, parts_a_cube(package.in));
  if (package.out) args.out = package.out->ptr();
  args.op = problem.op;
  args.root = problem.root;
  return args;
}

std::int64_t wrong_in(const CollectiveData& data, int sip, const host::HostArray& result) {
  const auto row = static_cast<std::size_t>(data.out_elems() * itemsize(result.dtype()));
  std::int64_t wrong = 0;
  for (int part = 0; part < data.parts(); ++part) {
    const auto bytes = std::span{result.bytes()}.subspan(static_cast<std::size_t>(part) * row, row);
    wrong += replay::compare(bytes, data.expected(sip, part), result.dtype(), {.ulp = 0.5}).wrong;
  }
  return wrong;
}

}  // namespace

Task<> run_direct(host::Rank& main, const CollectiveData* data, DirectRun* run) {
  host::Session& session = main.session();
  co_await main.install_ipcq(session.algorithm().name);
  std::vector<Package> packages;
  for (int sip = 0; sip < main.ahbm.device_count(); ++sip) {
    main.ahbm.set_device(sip);
    host::Tensor in = co_await main.torch.from_host(data->input(sip), data->placed(fmt::format("in{}", sip)));
    Package package{.in = in, .out = {}};
    if (!data->in_place())
      package.out = co_await main.torch.empty({data->parts(), data->out_elems()}, data->problem().dtype,
                                              data->placed(fmt::format("out{}", sip)));
    packages.push_back(package);
  }
  const Time called = session.sim().now();
  std::vector<host::Work<hw::Activity>> launches;
  for (std::size_t sip = 0; sip < packages.size(); ++sip) {
    const CollectiveArgs args = args_of(session, *data, static_cast<int>(sip), packages[sip]);
    launches.push_back(main.launch(session.algorithm().kernel, packages[sip].tensors(), args));
  }
  for (const auto& launch : launches) {
    const hw::Activity activity = co_await launch;
    run->kernel = std::max(run->kernel, activity.last_end - activity.first_start);
  }
  run->latency = session.sim().now() - called;
  for (std::size_t sip = 0; sip < packages.size(); ++sip) {
    const host::HostArray result = co_await packages[sip].result().to_host();
    if (!result.has_numbers()) continue;
    run->checked = true;
    run->wrong += wrong_in(*data, static_cast<int>(sip), result);
  }
}

boost::json::object simulate_direct(const CclPoint& point) {
  if (ccl::plan_of(point.algorithm) != nullptr)
    throw Unsupported{point.algorithm.name + " is a plan: it isn't launched without a process group"};
  const bool values = point.repeats.check;
  const CollectiveData data{point.machine,
                            point.algorithm,
                            {.n_elem = elements_of(point),
                             .dtype = point.dtype,
                             .op = point.op,
                             .root = point.root,
                             .values = values}};
  host::SessionOptions how =
      RowQuestion{.shuffle_ties = point.question.shuffle_ties, .exact_packets = point.question.exact_packets}
          .session();
  how.timing_only = !values;
  host::Session session{point.machine, point.algorithm, how};
  host::World world;
  host::Rank main{session, world, 0};
  DirectRun run;
  (void)session.sim().spawn("direct", main.run(run_direct(main, &data, &run)));
  session.run();
  return {{"direct_us", to_ns(run.latency) / 1000.0},
          {"direct_kernel_us", to_ns(run.kernel) / 1000.0},
          {"direct_nwrong", run.checked ? boost::json::value(run.wrong) : boost::json::value(nullptr)}};
}

}  // namespace kbsim::evaluate
