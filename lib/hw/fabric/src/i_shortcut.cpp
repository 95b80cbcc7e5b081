#include "kbsim/hw/fabric/i_shortcut.hpp"

namespace kbsim::hw {
namespace {

MakeShortcut& maker() {
  static MakeShortcut make = nullptr;
  return make;
}

}  // namespace

IShortcut::~IShortcut() = default;

MakeShortcut shortcut_maker() { return maker(); }

bool register_shortcut(MakeShortcut make) noexcept {
  maker() = make;
  return true;
}

}  // namespace kbsim::hw
