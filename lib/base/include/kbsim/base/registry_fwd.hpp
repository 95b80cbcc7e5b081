#pragma once

namespace kbsim {

/// Things that are known by name: kbsim/base/registry.hpp. A header that only names a registry includes this.
template <class Entry>
class Registry;

}  // namespace kbsim
