#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heap_engine.hpp"

namespace kbsim::bench {

/// The pipeline of W2 written by hand as callbacks: stages that each hold an item for `service`, joined
/// by FIFOs of four places, of which a full one blocks the stage before it.
class HeapPipeline {
 public:
  HeapPipeline(HeapEngine& engine, std::size_t stages, std::int64_t service, std::int64_t items);
  void start();
  [[nodiscard]] std::int64_t delivered() const { return delivered_; }

 private:
  struct Stage {
    HeapPipeline* pipeline;
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

  static void done(void* stage);
  void begin(Stage& stage);
  void pass_on(Stage& stage);

  HeapEngine& engine_;
  std::int64_t service_;
  std::int64_t left_;
  std::int64_t delivered_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace kbsim::bench
