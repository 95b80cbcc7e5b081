#pragma once

#include <memory>

#include "kbsim/hw/fabric/i_shortcut.hpp"

namespace kbsim::hw {

/// Holds what reserves a fabric's packets ahead, if the build has it and nothing needs each event.
class ShortcutSocket {
 public:
  /// Reserves packets ahead; nullptr: each hop is an event, and each step of a memory or a DMA.
  [[nodiscard]] IShortcut* shortcut() const { return ahead_; }
  /// Accounts for all that the unit of the node has done before now; call before reading it.
  void flush(NodeId node) const {
    if (shortcut_ != nullptr) shortcut_->flush(node);
  }
  /// Likewise for what memories hold.
  void flush_contents() const {
    if (shortcut_ != nullptr) shortcut_->flush_contents();
  }

 protected:
  ShortcutSocket() = default;
  ~ShortcutSocket() = default;
  /// Call when all components are attached.
  void plug_shortcut(Fabric& fabric) {
    if (shortcut_maker() != nullptr) shortcut_ = shortcut_maker()(fabric);
    if (!is_exact_) ahead_ = shortcut_.get();
  }
  /// Nothing is reserved from now on. Reservations that were made last.
  void unplug_shortcut() {
    is_exact_ = true;
    ahead_ = nullptr;
  }
  // Also what was reserved before unplug_shortcut().
  [[nodiscard]] IShortcut* reserved() const { return shortcut_.get(); }

 private:
  std::unique_ptr<IShortcut> shortcut_;
  IShortcut* ahead_ = nullptr;  // the same, unless is_exact_
  bool is_exact_ = false;
};

}  // namespace kbsim::hw
