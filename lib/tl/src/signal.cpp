// One-sided transfers: puts, and the words that signal them.
#include "kbsim/tl/signal.hpp"

#include "kbsim/tl/tl.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

void require_word(const Call& call, Ptr word) {
  if (word.dtype != i32 && word.dtype != DType::i64)
    throw call.fault("a signal is a word of i32 or i64, not of {}", to_string(word.dtype));
  const auto item = static_cast<std::uint64_t>(itemsize(word.dtype));
  if (word.va % item != 0) {
    throw call.fault("the signal at {:#x} is not aligned to the {} B of {}", word.va, item,
                     to_string(word.dtype));
  }
}

Condition condition(const Call& call, const WaitSignalArgs& args) {
  if (args.at_least.has_value() == args.equal.has_value()) throw call.fault("give one of at_least and equal");
  const Condition until{.exactly = args.equal.has_value(),
                        .value = args.equal ? *args.equal : *args.at_least};
  call.require_in_range(until.value, args.signal.dtype);
  return until;
}

}  // namespace

Pending<void> TL::put(PutArgs args, Here at) {
  const Call call{"put", at, &pe_};
  call.require_tile(args.src);
  if (args.src.dtype() != args.dst.dtype) {
    throw call.fault("a tile of {} into memory of {}; convert it with .to({})", to_string(args.src.dtype()),
                     to_string(args.dst.dtype), to_string(args.dst.dtype));
  }
  require_word(call, args.signal);
  const DType dtype = args.signal.dtype;
  const Tile value{pe_.view(call.constant(pe_, args.value, dtype).state(), Shape{1}, dtype)};
  const AtomicOp op = args.op == SignalOp::add ? AtomicOp::add : AtomicOp::exchange;
  return Pending<void>{pe_.issue(PutCommand{
      .to = args.dst,
      .tile = args.src.state(),
      .signal = {.op = op, .to = args.signal, .operand = value.state(), .expected = nullptr, .at = at},
      .at = at})};
}

Pending<void> TL::wait_signal(WaitSignalArgs args, Here at) {
  const Call call{"wait_signal", at, &pe_};
  require_word(call, args.signal);
  return Pending<void>{
      pe_.issue(SignalCommand{.word = args.signal, .until = condition(call, args), .at = at})};
}

}  // namespace kbsim
