#include "kbsim/trace/slice_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::trace;

TEST_CASE("SliceStore: slices come in order, however few of them are kept in memory") {
  std::mt19937 random{7};  // NOLINT(cert-msc51-cpp)
  for (const std::size_t in_memory : {1, 7, 100, 5000}) {
    SliceStore store{in_memory};
    std::vector<Slice> all;
    for (int round = 0; round < 2; ++round) {  // it may be read, and go on
      for (int i = 0; i < 1000; ++i) {
        const auto start = static_cast<std::int64_t>(random() % 50);
        all.push_back({.track = static_cast<TrackId>(random() % 3),
                       .start = Time{start},
                       .minus_end = -start - static_cast<std::int64_t>(random() % 50),
                       .id = random() % 4});
        store.add(all.back());
      }
      std::ranges::sort(all);
      std::vector<Slice> read;
      store.for_each([&](const Slice& slice) { read.push_back(slice); });
      CHECK(read == all);
      CHECK(store.size() == all.size());
    }
  }
}

TEST_CASE("SliceStore: of slices that begin together the longer is first, then the one of the outer kind") {
  SliceStore store;
  store.add({.start = 5_ns, .minus_end = -9'000, .kind = SliceKind::range});
  store.add({.start = 5_ns, .minus_end = -9'000, .kind = SliceKind::kernel});
  store.add({.start = 5_ns, .minus_end = -10'000, .kind = SliceKind::wait});
  std::vector<SliceKind> kinds;
  store.for_each([&](const Slice& slice) { kinds.push_back(slice.kind); });
  CHECK(kinds == std::vector{SliceKind::wait, SliceKind::kernel, SliceKind::range});
}

TEST_CASE("SliceStore: without room for its file the run goes on, and readers get the reason") {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  (void)setenv("TMPDIR", "/proc", 1);  // a folder that takes no file
  SliceStore store{2};
  for (int i = 0; i < 10; ++i) store.add({.start = Time{i}, .minus_end = -i});
  CHECK_THROWS_WITH_AS(store.for_each([](const Slice&) {}),
                       doctest::Contains("temporary file of a trace's slices in /proc: "), UsageError);
  if (before == nullptr)
    (void)unsetenv("TMPDIR");
  else
    (void)setenv("TMPDIR", kept.c_str(), 1);
}
