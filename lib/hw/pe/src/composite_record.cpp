// A composite's operations: one operation, each step of its epilogue, and the rounding to its output's dtype.
// They are recorded when it has ended.
#include <cstdint>
#include <initializer_list>

#include "kbsim/hw/pe/composite_job.hpp"

namespace kbsim::hw {
namespace {

// Records a composite's operations, each on the result of the last.
class CompositeOps {
 public:
  CompositeOps(const CompositeJob& job, const CompositeRun::Units& units, const CompositeRecord& times)
      : job_{job}, units_{units}, times_{times} {}

  void first(std::initializer_list<oplog::Operand> inputs) {
    const CompositeCommand& command = job_.command;
    const bool alone = job_.values.size() == 1;
    const DType dtype = alone ? command.dtype : command.accumulator;
    if (command.op == Op::gemm) return record(oplog::OpKind::dot, {}, dtype, *units_.gemm, inputs);
    record(oplog::OpKind::binary, {.binary = binary_of(command.op)}, dtype, *units_.math, inputs);
  }

  void step(const CompositeCommand::EpilogueStep& step) {
    const DType dtype = job_.command.accumulator;
    if (step.kind == oplog::OpKind::unary)
      return record(step.kind, step.params, dtype, *units_.math, {last()});
    if (step.operand)
      return record(step.kind, step.params, dtype, *units_.math,
                    {last(), static_cast<const PeTile&>(*step.operand).operand()});
    oplog::Parameters params = step.params;
    params.scalar = 0.0;
    record(step.kind, params, dtype, *units_.math, {last(), number(step.params.scalar)});
  }

  // If the output's dtype isn't the accumulator's.
  void cast() {
    if (next_ < job_.values.size())
      record(oplog::OpKind::cast, {}, job_.command.dtype, *units_.math, {last()});
  }

 private:
  void record(oplog::OpKind kind, const oplog::Parameters& params, DType dtype, const IEngine& unit,
              std::initializer_list<oplog::Operand> inputs) {
    units_.log->record({.id = job_.values[next_++],
                        .kind = kind,
                        .params = params,
                        .dtype = dtype,
                        .shape = job_.command.shape,
                        .unit = unit.unit(),
                        .start = times_.start,
                        .end = times_.end,
                        .inputs = inputs});
  }

  [[nodiscard]] oplog::Operand last() const {
    const CompositeCommand& command = job_.command;
    const Bytes bytes = command.shape.bytes(command.accumulator);
    return {.slices = {{job_.values[next_ - 1], 0, bytes.count()}},
            .shape = command.shape,
            .dtype = command.accumulator};
  }

  // The number as a value of its own, which is ready from the start.
  oplog::Operand number(double scalar) {
    const DType dtype = job_.command.accumulator;
    const oplog::ValueId id = job_.numbers[numbers_++];
    units_.log->record({.id = id,
                        .kind = oplog::OpKind::fill,
                        .params = {.scalar = scalar},
                        .dtype = dtype,
                        .unit = units_.math->unit(),
                        .start = times_.start,
                        .end = times_.start});
    return {.slices = {{id, 0, itemsize(dtype)}}, .dtype = dtype};
  }

  const CompositeJob& job_;
  const CompositeRun::Units& units_;
  const CompositeRecord& times_;
  std::size_t next_ = 0;     // index in its values
  std::size_t numbers_ = 0;  // index in its numbers
};

}  // namespace

oplog::Operand CompositeRun::operand(int index) const {
  const CompositeCommand::Input& input = index == 0 ? job_->command.a : job_->command.b;
  if (input.tile) return static_cast<const PeTile&>(*input.tile).operand();
  return {.slices = contents_[static_cast<std::size_t>(index)].all(input.shape.bytes(input.dtype).count()),
          .shape = input.shape,
          .dtype = input.dtype};
}

void CompositeRun::record_operations() {
  CompositeOps ops{*job_, units_, record_};
  ops.first({operand(0), operand(1)});
  for (const CompositeCommand::EpilogueStep& step : job_->command.epilogue) ops.step(step);
  ops.cast();
}

}  // namespace kbsim::hw
