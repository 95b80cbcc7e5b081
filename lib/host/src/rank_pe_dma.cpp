// Moves by a PE's DMA that a host program orders.
#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"

#include "on_order.hpp"

namespace kbsim::host {
namespace {

constexpr Bytes kMoveSize{24};  // size of a PeDma message: two addresses and a length

void require_movable(const PeDma& move, const config::MachineSpec& machine) {
  const Tensor& from = move.from;
  const Tensor& to = move.to;
  if (from.shape() != to.shape() || from.dtype() != to.dtype() || from.sip() != to.sip())
    throw UsageError{fmt::format("pe_dma of '{}' of {} {} on device {} to '{}' of {} {} on device {}",
                                 from.name(), to_string(from.shape()), to_string(from.dtype()), from.sip(),
                                 to.name(), to_string(to.shape()), to_string(to.dtype()), to.sip())};
  const bool there = move.cube >= 0 && move.cube < machine.cubes_per_sip() && move.pe >= 0 &&
                     move.pe < machine.pes_per_cube();
  if (!there)
    throw UsageError{fmt::format("pe_dma on cube {}, PE {}: a package has {} of {}", move.cube, move.pe,
                                 counted(machine.cubes_per_sip(), "cube"),
                                 counted(machine.pes_per_cube(), "PE"))};
}

// The Update lives as long as this runs.
Task<hw::Activity> moved(OnOrder tensors, Tensor::Update, Task<hw::Activity> order) {
  const hw::Activity activity = co_await std::move(order);
  tensors.ended();
  co_return activity;
}

}  // namespace

Work<hw::Activity> Rank::pe_dma(PeDma move, Here at) {
  at_line(at, [&] { require_movable(move, session_.spec()); });
  const int sip = move.from.sip();
  const hw::MoveBytes what{.from = move.from.ptr(at).va,
                           .to = move.to.ptr(at).va,
                           .shape = move.from.shape(),
                           .dtype = move.from.dtype(),
                           .value = session_.log().reserve(session_.lane(index))};
  auto job = std::make_shared<hw::ControlJob>();
  job->targets.push_back({.pe = {sip, move.cube, move.pe}, .action = what, .size = kMoveSize});
  Task<hw::Activity> order = hw::host_of(session_.machine()).order(index, sip, job);
  return works_->start(session_.next_work("pe_dma", index),
                       moved(OnOrder{session_, {job}, {move.from, move.to}},
                             Tensor::Update{move.to, Tensor::Update::By::dma}, std::move(order)),
                       at);
}

}  // namespace kbsim::host
