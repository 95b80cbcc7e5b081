#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbsim::bench {

/// The pipeline of W2 written by hand as callbacks: stages that each hold an item for `service`, joined by
/// FIFOs of four places; a full FIFO blocks the stage before it.
template <class Engine>
class CallbackPipeline {
 public:
  CallbackPipeline(Engine& engine, std::size_t stages, std::int64_t service, std::int64_t items)
      : engine_{engine}, service_{service}, left_{items}, stages_(stages, Stage{.pipeline = this}) {
    for (std::size_t i = 1; i < stages; ++i) {
      stages_[i].before = &stages_[i - 1];
      stages_[i - 1].after = &stages_[i];
    }
  }

  void start() {
    Stage& first = stages_.front();
    while (left_ > 0 && !first.full()) first.push(left_--);
    begin(first);
  }
  [[nodiscard]] std::int64_t delivered() const { return delivered_; }

 private:
  struct Stage {
    CallbackPipeline* pipeline;
    std::array<std::int64_t, 4> places{};
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::int64_t item = 0;
    bool busy = false;
    bool blocked = false;
    Stage* before = nullptr;
    Stage* after = nullptr;

    [[nodiscard]] bool full() const { return tail - head == places.size(); }
    void push(std::int64_t value) { places[tail++ % places.size()] = value; }
    std::int64_t pop() { return places[head++ % places.size()]; }
  };

  static void done(void* argument) {
    auto& stage = *static_cast<Stage*>(argument);
    if (stage.after != nullptr && stage.after->full()) {
      stage.blocked = true;
    } else {
      stage.pipeline->pass_on(stage);
    }
  }

  void begin(Stage& stage) {
    if (stage.busy || stage.head == stage.tail) return;
    stage.item = stage.pop();
    stage.busy = true;
    engine_.at(engine_.now() + service_, &done, &stage);
    if (stage.before == nullptr) {
      if (left_ > 0) stage.push(left_--);
    } else if (stage.before->blocked) {
      stage.before->blocked = false;
      pass_on(*stage.before);
    }
  }

  void pass_on(Stage& stage) {
    stage.busy = false;
    if (stage.after == nullptr) {
      ++delivered_;
    } else {
      stage.after->push(stage.item);
      begin(*stage.after);
    }
    begin(stage);
  }

  Engine& engine_;
  std::int64_t service_;
  std::int64_t left_;
  std::int64_t delivered_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace kbsim::bench
