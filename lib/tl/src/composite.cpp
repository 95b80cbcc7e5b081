#include "kbsim/tl/composite.hpp"

#include <fmt/format.h>

#include "kbsim/oplog/rules.hpp"

#include "call.hpp"
#include "faults.hpp"

namespace kbsim {
namespace {

using tl_detail::fault;
using Here = std::source_location;

CompositeCommand::Input input(const CompositeOperand& operand, std::string_view name, const Here& at) {
  if (operand.tile() == nullptr) {
    const Ref& ref = operand.ref();
    return {.tile = nullptr, .at = ref.ptr, .shape = ref.shape, .dtype = ref.ptr.dtype};
  }
  const Tile& tile = *operand.tile();
  tl_detail::require_tile(tile, fmt::format("composite, {}", name), at);
  return {.tile = tile.state(), .at = {}, .shape = tile.shape(), .dtype = tile.dtype()};
}

std::string described(const CompositeCommand::Input& input) {
  return fmt::format("{} {}", to_string(input.shape), to_string(input.dtype));
}

void require_extents(const CompositeCommand::Input& input, std::string_view name, const Here& at) {
  for (const std::int64_t extent : input.shape.extents()) {
    if (extent <= 0)
      throw fault(at, fmt::format("composite: every extent of {} must be positive, got {}", name,
                                  to_string(input.shape)));
  }
  Call{"composite", at}.require_shape(input.shape);
}

// Sets shape and accumulator of the output.
void conclude(CompositeCommand& command, const Here& at) {
  const CompositeCommand::Input& a = command.a;
  const CompositeCommand::Input& b = command.b;
  const auto misfit = [&](std::string_view why) {
    return fault(at, fmt::format("composite: {}: {} and {}", why, described(a), described(b)));
  };
  if (a.dtype != b.dtype) throw misfit("dtypes differ");
  if (command.op != Op::gemm) {
    if (a.shape != b.shape) throw misfit("shapes differ");
    if (!oplog::applies(binary_of(command.op), a.dtype)) throw misfit("there is no such arithmetic");
    command.shape = a.shape;
    command.accumulator = a.dtype;
    return;
  }
  const bool matrices = a.shape.rank() == 2 && b.shape.rank() == 2;
  const auto product = matrices ? oplog::product(a.shape, b.shape) : std::nullopt;
  if (!product) throw misfit("a gemm multiplies [M, K] by [K, N]");
  const auto accumulator = oplog::accumulator(a.dtype);
  if (!accumulator) throw misfit("pe_gemm doesn't multiply such elements");
  command.shape = *product;
  command.accumulator = *accumulator;
}

bool overlap(const Ptr& a, Bytes an, const Ptr& b, Bytes bn) {
  return a.va < b.va + static_cast<std::uint64_t>(bn.count()) &&
         b.va < a.va + static_cast<std::uint64_t>(an.count());
}

void require_apart(const CompositeCommand& command, const Here& at) {
  for (const CompositeCommand::Input* input : {&command.a, &command.b}) {
    if (input->tile || !overlap(*command.out, command.shape.bytes(command.dtype), input->at,
                                input->shape.bytes(input->dtype)))
      continue;
    throw fault(at, fmt::format("composite: the output at {:#x} overlaps an operand at {:#x}, which is still "
                                "read while tiles are stored",
                                command.out->va, input->at.va));
  }
}

void set_output(CompositeCommand& command, const CompositeArgs& args, const Here& at) {
  command.dtype = args.out ? args.out->ptr.dtype : args.dtype;
  const Call call{"composite", at};
  if (!args.out) return call.require_holdable(command.shape, command.dtype);
  call.require_shape(command.shape);
  if (args.out->shape != command.shape) {
    throw fault(at, fmt::format("composite: the result is {}, but the output {}", to_string(command.shape),
                                to_string(args.out->shape)));
  }
  command.out = args.out->ptr;
  require_apart(command, at);
}

CompositeCommand::EpilogueStep step(const CompositeCommand& command, const Step& asked, const Here& at) {
  const DType dtype = command.accumulator;
  const bool applies = asked.kind == oplog::OpKind::unary ? oplog::applies(asked.params.unary, dtype)
                                                          : oplog::applies(asked.params.binary, dtype);
  if (!applies)
    throw fault(at, fmt::format("composite: an epilogue's step isn't there for {}", to_string(dtype)));
  if (asked.operand == nullptr) return {.kind = asked.kind, .params = asked.params, .operand = nullptr};
  tl_detail::require_tile(*asked.operand, "composite, epilogue", at);
  const bool fits = oplog::broadcast(command.shape, asked.operand->shape()) == command.shape;
  if (!fits || asked.operand->dtype() != dtype) {
    throw fault(at, fmt::format("composite: an epilogue's operand {} {} doesn't fit an output of {} {}",
                                to_string(asked.operand->shape()), to_string(asked.operand->dtype()),
                                to_string(command.shape), to_string(dtype)));
  }
  return {.kind = asked.kind, .params = asked.params, .operand = asked.operand->state()};
}

}  // namespace

oplog::BinaryOp binary_of(Op op) {
  constexpr std::array<oplog::BinaryOp, 6> kOps{oplog::BinaryOp::add,     oplog::BinaryOp::sub,
                                                oplog::BinaryOp::mul,     oplog::BinaryOp::div,
                                                oplog::BinaryOp::maximum, oplog::BinaryOp::minimum};
  return kOps[static_cast<std::size_t>(op) - 1];
}

CompositeCommand checked(const CompositeArgs& args, std::source_location at) {
  CompositeCommand command{.op = args.op, .depth = args.depth, .at = at};
  if (args.depth < 1) throw fault(at, fmt::format("composite: depth must be at least 1, got {}", args.depth));
  command.a = input(args.a, "a", at);
  command.b = input(args.b, "b", at);
  require_extents(command.a, "a", at);
  require_extents(command.b, "b", at);
  conclude(command, at);
  set_output(command, args, at);
  for (const Step& asked : args.epilogue.steps()) command.epilogue.push_back(step(command, asked, at));
  return command;
}

}  // namespace kbsim
