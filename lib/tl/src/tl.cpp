#include "kbsim/tl/tl.hpp"

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/require_function.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/queue_memory.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

void require_axis(const Call& call, int axis) {
  if (axis >= 0 && axis <= 2) return;
  throw call.fault("axis must be 0 (PE in the cube), 1 (cube in the SIP) or 2 (SIP), got {}", axis);
}

}  // namespace

std::int64_t TL::cdiv(std::int64_t a, std::int64_t b, Here at) {
  if (b <= 0) throw Call{"cdiv", at}.fault("{} by {}: the divisor must be positive", a, b);
  return a / b + (a % b > 0 ? 1 : 0);
}

int TL::program_id(int axis, Here at) const {
  const Call call{"program_id", at};
  require_axis(call, axis);
  if (axis == 1) asked_cube_ = true;
  require_grid(call);
  return pe_.grid().id[static_cast<std::size_t>(axis)];
}

int TL::num_programs(int axis, Here at) const {
  const Call call{"num_programs", at};
  require_axis(call, axis);
  if (axis == 0) asked_count_ = true;
  if (axis == 1) asked_cube_ = true;
  require_grid(call);
  return pe_.grid().count[static_cast<std::size_t>(axis)];
}

void TL::require_grid(const Call& call) const {
  if (!pe_.grid().ragged || !asked_count_ || !asked_cube_) return;
  throw call.fault(
      "cubes of this launch run different numbers of programs, {} in cube {}, so num_programs(0) and axis 1 "
      "make no grid; place the tensor evenly, or give each PE its bounds in the arguments and ask tl.place()",
      pe_.grid().count[0], pe_.place().cube);
}

Pending<Tile> TL::load(Ptr from, Shape shape, DType dtype, Here at) {
  const Call call{"load", at, &pe_};
  call.require_loadable(from, shape, dtype);
  return Pending<Tile>{pe_.issue(LoadCommand{.from = whole(from, shape, dtype), .at = at})};
}

Pending<void> TL::store(Ptr to, const Tile& tile, Here at) {
  const Call call{"store", at, &pe_};
  call.require_storable(to, tile);
  return Pending<void>{
      pe_.issue(StoreCommand{.to = whole(to, tile.shape(), tile.dtype()), .tile = tile.state(), .at = at})};
}

Pending<void> TL::copy(Ptr to, Ptr from, Shape shape, Here at) {
  const Call call{"copy", at, &pe_};
  call.require_holdable(shape, from.dtype);
  if (to.dtype != from.dtype)
    throw call.fault("from memory of {} to memory of {}", to_string(from.dtype), to_string(to.dtype));
  return Pending<void>{pe_.issue(CopyCommand{.to = to, .from = from, .shape = shape, .at = at})};
}

Pending<void> TL::send(SendArgs args, Here at) {
  const Call call{"send", at, &pe_};
  call.require_tile(args.src);
  if (args.dir == Dir::any) throw call.fault("needs a direction: {{.dir = ..., .src = ...}}");
  return Pending<void>{pe_.send(args.dir, args.src.state(), args.tag, at)};
}

Pending<void> TL::send(SendFromArgs args, Here at) {
  const Call call{"send", at, &pe_};
  call.require_holdable(args.shape, args.src.dtype);
  if (args.dir == Dir::any) throw call.fault("needs a direction: {{.dir = ..., .src = ..., .shape = ...}}");
  return Pending<void>{pe_.issue(
      SendFromCommand{.to = args.dir, .from = args.src, .shape = args.shape, .tag = args.tag, .at = at})};
}

Pending<Tile> TL::recv(RecvArgs args, Here at) {
  const Call call{"recv", at};
  call.require_holdable(args.shape, args.dtype);
  if (args.dst && args.dst->dtype != args.dtype)
    throw call.fault("a tile of {} into memory of {}", to_string(args.dtype), to_string(args.dst->dtype));
  if (args.dst) {
    return Pending<Tile>{pe_.issue(
        RecvIntoCommand{.from = args.dir, .to = *args.dst, .shape = args.shape, .tag = args.tag, .at = at})};
  }
  return Pending<Tile>{pe_.recv(args.dir, args.shape, args.dtype, args.tag, at)};
}

Tile TL::eq(Operand a, Operand b, Here at) { return binary({"eq", at, &pe_}, oplog::BinaryOp::eq, a, b); }
Tile TL::ne(Operand a, Operand b, Here at) { return binary({"ne", at, &pe_}, oplog::BinaryOp::ne, a, b); }

Tile TL::maximum(Operand a, Operand b, NanArgs args, Here at) {
  return binary({"maximum", at, &pe_}, oplog::BinaryOp::maximum, a, b, args.nan);
}
Tile TL::minimum(Operand a, Operand b, NanArgs args, Here at) {
  return binary({"minimum", at, &pe_}, oplog::BinaryOp::minimum, a, b, args.nan);
}

Tile TL::unary(oplog::UnaryOp op, const Tile& x, Here at) {
  return kbsim::unary({to_string(op), at, &pe_}, op, x);
}

void TL::print(std::string_view label, const Tile& x, Here at) {
  const Call call{"print", at, &pe_};
  call.require_tile(x);
  pe_.count(at);
  (void)pe_.execute({.kind = oplog::OpKind::print,
                     .inputs = {x.state(), nullptr, nullptr},
                     .shape = x.shape(),
                     .dtype = x.dtype(),
                     .label = label,
                     .at = at});
}

void TL::check_all(const Tile& condition, std::string_view text, Here at) {
  const Call call{"check_all", at, &pe_};
  call.require_tile(condition);
  pe_.count(at);
  const std::string label = fmt::format("{}: {}: {}", to_string(to_place(at)), call.name, text);
  (void)pe_.execute({.kind = oplog::OpKind::check,
                     .inputs = {condition.state(), nullptr, nullptr},
                     .shape = condition.shape(),
                     .dtype = condition.dtype(),
                     .label = label,
                     .at = at});
}

void TL::work(Time time, Here at) {
  if (time < Time{0}) throw Call{"work", at, &pe_}.fault("a time of {} ns is negative", to_ns(time));
  pe_.work(time, at);
}

void TL::check(bool condition, std::string_view text, Here at) {
  const Call call{"check", at, &pe_};
  if (!condition) throw call.fault("{}", text);
}

const TileState& Tile::used(std::string_view call, const std::source_location& at) const {
  Call{call, at}.require_tile(*this);
  return *state_;
}

Registry<KernelEntry>& kernels() {
  static Registry<KernelEntry> registry{"kernel"};
  return registry;
}

namespace detail {

void require_kernel(bool given, const std::string& name, const std::source_location& at) {
  require_function(given, "bind_kernel of '" + name + "'", at);
}

void refuse_arguments(const std::string& kernel) {
  throw UsageError{"kernel '" + kernel + "' was given arguments of another kernel's type"};
}

}  // namespace detail

bool register_kernel(std::string name, KernelEntry entry, const char& /*abi*/) noexcept {
  (void)kernels().offer(std::move(name), std::move(entry));
  return true;
}

}  // namespace kbsim
