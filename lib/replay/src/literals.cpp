#include "literals.hpp"

#include <utility>

namespace kbsim::replay {

// Two threads that ask at once may make it twice.
Value Literals::of(const oplog::Op& literal) {
  {
    const std::scoped_lock lock{mutex_};
    const auto found = made_.find(literal.id);
    const Value known = found != made_.end() ? found->second.lock() : nullptr;
    if (known) return known;
  }
  Buffer bytes(static_cast<std::size_t>(literal.data.size()));
  literal.data.read(0, bytes);
  Value made = ledger_.adopt(std::move(bytes));
  const std::scoped_lock lock{mutex_};
  made_.insert_or_assign(literal.id, made);
  return made;
}

}  // namespace kbsim::replay
