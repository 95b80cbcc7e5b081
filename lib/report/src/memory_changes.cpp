#include "kbsim/report/memory_changes.hpp"

#include <fmt/format.h>

#include "kbsim/report/csv.hpp"

namespace kbsim::report {

std::string memory_csv(const std::vector<topology::MemoryChange>& changes) {
  std::string text = "time_ns,change,name,sip,memory,bytes,places,most_bytes\n";
  for (const topology::MemoryChange& change : changes)
    text += fmt::format("{},{},{},{},{},{},{},{}\n", to_ns(change.at), change.freed ? "free" : "allocate",
                        csv_cell(change.name), change.sip, to_string(change.memory), change.bytes.count(),
                        change.places, change.most.count());
  return text;
}

}  // namespace kbsim::report
