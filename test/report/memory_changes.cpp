// Rows of tensors' memory.
#include "kbsim/report/memory_changes.hpp"

#include <sstream>

#include <doctest/doctest.h>

#include "kbsim/report/csv.hpp"

namespace kbsim::report_memory_changes_test {

using namespace kbsim::report;

TEST_CASE("Memory changes: a row for each, with a tensor of any name in one cell") {
  const topology::MemoryChange taken{.at = 1500_ps,
                                     .memory = topology::Region::sram,
                                     .sip = 1,
                                     .name = "a,\"b\"",
                                     .bytes = 96_B,
                                     .places = 2,
                                     .most = 64_B};
  topology::MemoryChange freed = taken;
  freed.at = 3_ns;
  freed.freed = true;
  CHECK(memory_csv({taken, freed}) ==
        "time_ns,change,name,sip,memory,bytes,places,most_bytes\n"
        "1.5,allocate,\"a,\"\"b\"\"\",1,sram,96,2,64\n"
        "3,free,\"a,\"\"b\"\"\",1,sram,96,2,64\n");
  CHECK(memory_csv({}) == "time_ns,change,name,sip,memory,bytes,places,most_bytes\n");
}

}  // namespace kbsim::report_memory_changes_test
