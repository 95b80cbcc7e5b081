#include "figures.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <string>

#include <malloc.h>

namespace {

std::atomic<std::uint64_t> calls{0};

/// Peak memory since the program began. rusage would include the peak of the parent process.
unsigned long long peak_bytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    unsigned long long kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

void* operator new(std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kbsim::bench {

void print(const Figures& figures) {
  std::printf(
      R"({"items": %lld, "events": %llu, "seconds": %.9f, "allocations": %llu, "bytes": %zu, "parts": %lld, "peak": %llu})"
      "\n",
      static_cast<long long>(figures.items), static_cast<unsigned long long>(figures.events), figures.seconds,
      static_cast<unsigned long long>(figures.allocations), figures.bytes,
      static_cast<long long>(figures.parts), peak_bytes());
}

std::uint64_t allocations() { return calls.load(std::memory_order_relaxed); }

std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace kbsim::bench
