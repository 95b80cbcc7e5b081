// The kernel that carries a program out, on a machine's PE and on the mock's.
#include "kbsim/tl/kernel.hpp"

#include <array>
#include <utility>

#include "program.hpp"

namespace kbsim::soak {
namespace {

using Kind = Step::Kind;

class Interpreter {
 public:
  Interpreter(TL& tl, ProgramArgs args, const std::vector<Step>& steps)
      : tl_{tl}, memory_{args.memory}, steps_{steps}, n_{args.programs->elements} {
    const std::int64_t pe = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
    memory_ = memory_ + pe * kRows * n_;
    for (int i = 0; i < kRegisters; ++i) registers_[static_cast<std::size_t>(i)] = tl.full({n_}, i, i32);
  }

  Task<> run() {
    for (const Step& step : steps_) co_await carry_out(step);
    while (oldest_ < kept_.size()) co_await await_oldest();
    for (int row = 0; row < kRows; ++row)
      co_await tl_.store(at(row), registers_[static_cast<std::size_t>(row)]);
  }

 private:
  struct Kept {
    Pending<void> sent;
    Pending<Tile> received;
    int to;
  };

  [[nodiscard]] Ptr at(int row) const { return memory_ + row * n_; }
  Tile& reg(int i) { return registers_[static_cast<std::size_t>(i)]; }
  RecvArgs from(const Step& step) const { return {.dir = Dir{step.queue}, .shape = {n_}, .dtype = i32}; }

  Task<> carry_out(const Step& step) {
    switch (step.kind) {
      case Kind::load: {
        const Tile loaded = co_await tl_.load(at(step.from), {n_}, i32);
        reg(step.to) = loaded;
        break;
      }
      case Kind::store: {
        co_await tl_.store(at(step.to), reg(step.from));
        break;
      }
      case Kind::combine: reg(step.to) = (reg(step.to) * 3 + reg(step.from)) & 0xFFFFF; break;
      case Kind::send: {
        co_await tl_.send({.dir = Dir{step.queue}, .src = reg(step.from)});
        break;
      }
      case Kind::keep_send:
        kept_.push_back({tl_.send({.dir = Dir{step.queue}, .src = reg(step.from)}), {}, 0});
        break;
      case Kind::recv: {
        const Tile got = co_await tl_.recv(from(step));
        reg(step.to) = got + reg(step.to);
        break;
      }
      case Kind::keep_recv: kept_.push_back({{}, tl_.recv(from(step)), step.to}); break;
      case Kind::hold: {
        const Tile got = co_await tl_.recv(from(step));
        reg(step.to) = (got ^ reg(step.to)) & 0xFFFFF;
        held_.push_back(got);
        break;
      }
      case Kind::await_oldest: {
        co_await await_oldest();
        break;
      }
      case Kind::let_go: held_.clear(); break;
      case Kind::barrier: {
        co_await tl_.barrier();
        break;
      }
    }
  }

  Task<> await_oldest() {
    if (oldest_ == kept_.size()) co_return;
    Kept kept = std::move(kept_[oldest_++]);
    co_await kept.sent;
    const Tile got = co_await kept.received;
    if (!got.empty()) reg(kept.to) = (got + reg(kept.to)) & 0xFFFFF;
  }

  TL& tl_;
  Ptr memory_;
  const std::vector<Step>& steps_;
  std::int64_t n_;
  std::array<Tile, kRegisters> registers_;
  std::vector<Tile> held_;
  std::vector<Kept> kept_;
  std::size_t oldest_ = 0;
};

Task<> soak_program(TL& tl, ProgramArgs args) {
  const PeCoord here = tl.place();
  Interpreter interpreter{tl, args, args.programs->of(here, args.launch)};
  co_await interpreter.run();
}
KBSIM_KERNEL(soak_program, "a random program");

}  // namespace
}  // namespace kbsim::soak
