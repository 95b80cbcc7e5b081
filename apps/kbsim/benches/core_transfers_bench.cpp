// How long do PEs take for transfers between their scratchpads, or to and from memory, issued back to back?
#include <algorithm>
#include <numeric>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/config/floor_plan.hpp"
#include "kbsim/kernels/core_transfers.hpp"

namespace kbsim::app::core_transfers_bench {
namespace {

enum class Move { write, read };
enum class Where { tcm, hbm };

struct Options {
  Move move = Move::write;
  Where where = Where::tcm;
  std::string from = "0";
  std::string to = "1";
  std::int64_t transactions = 16;
  Bytes bytes{1024};
  bool itself = false;

  static void describe(auto& f) {
    f.choice("move", &Options::move, {"write", "read"}, "direction, as the PEs of --from see it")
        .called("NAME");
    f.choice("where", &Options::where, {"tcm", "hbm"},
             "tcm: the scratchpads of the PEs of --to; hbm: the memory that these PEs own")
        .called("NAME");
    f.add("from", &Options::from, "PEs that issue transfers, all at once: 0-3,8").called("PES");
    f.add("to", &Options::to, "PEs that each of them reaches, one after the other, in this order")
        .called("PES");
    f.add("transactions", &Options::transactions, between(1, 65536), "transfers to each of them");
    f.add("bytes", &Options::bytes, between(1_B, 1_GiB), "size of a transfer");
    f.add("itself", &Options::itself, "1: a PE reaches itself, too, if --to has it among others")
        .called("0|1");
  }
};

std::vector<int> pes_in(const std::string& text, const char* option, int pes) {
  std::vector<int> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const config::Span span = config::Span::from_text(text.substr(at, comma - at));
    if (span.last >= pes)
      throw UsageError{fmt::format("--{} {}: there is no PE {}: the package has {}", option, text, span.last,
                                   counted(pes, "PE"))};
    for (int pe = span.first; pe <= span.last; ++pe) all.push_back(pe);
    at = comma + 1;
  }
  return all;
}

int pes_of(const config::MachineSpec& machine) { return machine.cubes_per_sip() * machine.pes_per_cube(); }

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  const auto own = request.own.as<Options>();
  (void)pes_in(own.from, "from", pes_of(machine));
  (void)pes_in(own.to, "to", pes_of(machine));
  const Bytes tcm = machine.cube.memory.tcm - machine.cube.memory.tcm_scheduler;
  if (own.bytes > Bytes{tcm.count() / 2})
    throw UsageError{
        fmt::format("--bytes {}: expected at most {}, half of a PE's TCM beside the scheduler's part",
                    to_string(own.bytes), to_string(Bytes{tcm.count() / 2}))};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Places of each PE at a target: as many as transactions, if the target has room.
std::int64_t places_of(const Options& own, const config::MachineSpec& machine, std::int64_t pes) {
  const Bytes tcm = machine.cube.memory.tcm - machine.cube.memory.tcm_scheduler;
  const Bytes room{own.where == Where::hbm && own.move == Move::write ? machine.hbm_per_pe().count()
                                                                      : tcm.count() / 2};
  return std::clamp<std::int64_t>(room / own.bytes / pes, 1, own.transactions);
}

// Reads under way at a PE: as many tiles as its own TCM has room for.
std::int64_t window_of(const Options& own, const config::MachineSpec& machine) {
  const Bytes tcm = machine.cube.memory.tcm - machine.cube.memory.tcm_scheduler;
  return std::max<std::int64_t>(Bytes{tcm.count() / 2} / own.bytes, 1);
}

Task<> transfers(host::Rank& main, Options own, BenchRequest, BenchReport* report) {
  const config::MachineSpec& machine = main.session().spec();
  const int pes = pes_of(machine);
  const std::vector<int> from = pes_in(own.from, "from", pes);
  const std::vector<int> to = pes_in(own.to, "to", pes);
  std::vector<std::vector<int>> targets(static_cast<std::size_t>(pes));
  std::vector<int> numbers(static_cast<std::size_t>(pes));
  for (int number = 0; const int pe : from) {
    std::vector<int>& its = targets[static_cast<std::size_t>(pe)] = to;
    if (to.size() > 1 && !own.itself) std::erase(its, pe);
    numbers[static_cast<std::size_t>(pe)] = number++;
  }
  std::vector<Time> took(static_cast<std::size_t>(pes));
  const std::int64_t places = places_of(own, machine, std::ssize(from));
  const std::int64_t stride = own.bytes.count() * places * std::ssize(from);
  const topology::DPPolicy by_pe{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const host::Tensor there = co_await main.torch.empty(
      {pes, stride}, DType::u8,
      {.dp = by_pe,
       .name = "there",
       .shared = true,
       .mem_kind = own.where == Where::hbm ? topology::Region::hbm : topology::Region::tcm,
       .resident = true});
  const CoreTransfersArgs args{.there = there.ptr(),
                               .stride = stride,
                               .bytes = own.bytes.count(),
                               .transactions = own.transactions,
                               .places = places,
                               .window = window_of(own, machine),
                               .reads = own.move == Move::read,
                               .targets = &targets,
                               .numbers = &numbers,
                               .took = &took};
  co_await main.launch("core_transfers", there, args);
  std::vector<double> times;
  for (const int pe : from) times.push_back(to_ns(took[static_cast<std::size_t>(pe)]));
  const double ns = median(times);
  const std::int64_t reached = std::ssize(targets[static_cast<std::size_t>(from.front())]);
  const auto moved = static_cast<double>(own.bytes.count() * own.transactions * reached);
  const double software = to_ns(machine.software.zone);
  report->text = fmt::format(
      " transfers: {} of {} by each of {}, to {}: {:.3f} ns (median), {:.4f} GB/s a PE\n", own.transactions,
      to_string(own.bytes), counted(from.size(), "PE"), counted(reached, "target"), ns, moved / ns);
  report->json = {{"pes", std::ssize(from)},
                  {"targets", reached},
                  {"transactions", own.transactions},
                  {"bytes", own.bytes.count()},
                  {"median_ns", ns},
                  {"least_ns", std::ranges::min(times)},
                  {"most_ns", std::ranges::max(times)},
                  {"gbs", moved / ns},
                  {"software_ns", software},
                  {"with_software_ns", ns + software}};
  if (software > 0)
    report->text += fmt::format("   with software (software.zone_ns) {:.3f} ns, {:.4f} GB/s a PE\n",
                                ns + software, moved / (ns + software));
}
KBSIM_BENCH(transfers, "writes or reads between PEs' scratchpads, or of memory, back to back",
            .algorithms = Algorithms::none, .devices = Devices::current, .prints_software = "zone_ns",
            .check = check);

}  // namespace
}  // namespace kbsim::app::core_transfers_bench
