#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

using namespace kbsim;

TEST_CASE("Memory: what is held is known, and asking for more than may be is refused") {
  const Bytes before = memory_limit();
  CHECK(resident_memory() > 0_B);
  CHECK(before > resident_memory());
  CHECK_NOTHROW(require_memory("a test"));
  CHECK_NOTHROW(require_memory_for(1_B, "a test"));
  CHECK_THROWS_WITH_AS(require_memory_for(Bytes{1LL << 50}, "a test"),
                       doctest::Contains("a test needs about 1.0 PiB of memory"), UsageError);
  set_memory_limit(1_B);
  CHECK_THROWS_WITH_AS(require_memory("a test"), doctest::Contains("the limit is 1 B (--max-memory)"), Error);
  set_memory_limit(before);
  CHECK(about(1536_MiB) == "1.5 GiB");
  CHECK(about(17_B) == "17 B");
}
