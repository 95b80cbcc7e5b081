// Compiled in place of database.cpp where SQLite is missing.
#include "kbsim/base/built_without.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {

void require_database() { throw built_without("sweeps", "libsqlite3-dev"); }

void write_database(const std::filesystem::path&, const Tables&) { require_database(); }

}  // namespace kbsim::sweep
