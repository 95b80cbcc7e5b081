#include "kbsim/sweep/claims.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include <boost/interprocess/anonymous_shared_memory.hpp>

namespace kbsim::sweep {

using Entry = std::atomic<std::uint64_t>;
static_assert(Entry::is_always_lock_free, "processes share it");

Claims::Claims(std::size_t keys) {
  const std::size_t entries = std::bit_ceil(2 * keys + 1);
  memory_ = boost::interprocess::anonymous_shared_memory(entries * sizeof(Entry));
  entries_ = {static_cast<Entry*>(memory_.get_address()), entries};  // all of it is 0
}

bool Claims::claim(std::string_view key) {
  const std::uint64_t hash = std::max<std::uint64_t>(std::hash<std::string_view>{}(key), 1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[(hash + i) & (entries_.size() - 1)];
    std::uint64_t found = 0;
    if (entry.compare_exchange_strong(found, hash)) return true;
    if (found == hash) return false;
  }
  return false;
}

}  // namespace kbsim::sweep
