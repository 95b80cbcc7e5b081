#pragma once

#include <cstddef>
#include <cstdint>

namespace kbsim::bench {

/// Costs of one run of a workload; print() writes them as a line of JSON.
struct Figures {
  std::int64_t items = 0;
  std::uint64_t events = 0;
  double seconds = 0.0;  // of the processor
  std::uint64_t allocations = 0;
  std::size_t bytes = 0;   // of heap, for the world as it was when the run began
  std::int64_t parts = 1;  // processes that share the bytes
};
void print(const Figures& figures);

/// Calls of operator new so far, and the bytes that malloc has handed out.
[[nodiscard]] std::uint64_t allocations();
[[nodiscard]] std::size_t heap_bytes();
[[nodiscard]] double processor_seconds();

/// Makes a world, runs it, and measures both. A World has run(), items(), events() and parts().
template <class World, class Make>
Figures measure(Make make) {
  const std::size_t empty = heap_bytes();
  auto world = make();
  Figures figures;
  figures.bytes = heap_bytes() - empty;
  const std::uint64_t before = allocations();
  const double start = processor_seconds();
  world->run();
  figures.seconds = processor_seconds() - start;
  figures.allocations = allocations() - before;
  figures.items = world->items();
  figures.events = world->events();
  figures.parts = world->parts();
  return figures;
}

}  // namespace kbsim::bench
