#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/registry_fwd.hpp"

namespace kbsim {

/// The hint for an unknown name where nothing is registered: a linker has dropped the code that registers
/// itself.
inline constexpr std::string_view kNoneRegistered =
    ": this program has none at all; link kbsim::kbsim, which find_package(kbsim) gives, or libkbsim.a as a "
    "whole";

/// A registry, whatever it holds. Each is in registries() while it lives.
class AnyRegistry {
 public:
  explicit AnyRegistry(std::string_view kind);
  virtual ~AnyRegistry();
  AnyRegistry(const AnyRegistry&) = delete;
  AnyRegistry& operator=(const AnyRegistry&) = delete;

  /// The noun for an entry: "kernel", "component model".
  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual bool has(std::string_view name) const = 0;
  /// The names that were offered twice since the last call.
  [[nodiscard]] std::vector<std::string> take_conflicts() { return std::exchange(conflicts_, {}); }
  /// The names that were offered without a function.
  [[nodiscard]] const std::vector<std::string>& without_function() const { return without_function_; }

 protected:
  void note_conflict(std::string name) { conflicts_.push_back(std::move(name)); }
  [[noreturn]] void refuse(std::string_view unknown, const std::vector<std::string>& names) const;
  [[noreturn]] void refuse_second(std::string_view name) const;
  /// UsageError if the name was offered twice.
  void require_one(std::string_view name) const;
  void note_without_function(std::string name) { without_function_.push_back(std::move(name)); }

 private:
  std::string kind_;
  std::vector<std::string> conflicts_;
  std::vector<std::string> without_function_;
};

/// All registries of this process, oldest first. They show what a shared object has added.
[[nodiscard]] const std::vector<AnyRegistry*>& registries();

/// Things that are known by name, in alphabetical order; each registers itself in its own file.
/// A second registration of a name is an InternalError; looking up a name that was offered twice is a
/// UsageError, and so is an unknown one, with the nearest name. An entry whose function is a null pointer is
/// noted, and at() says so.
template <class Entry>
class Registry final : public AnyRegistry {
 public:
  using AnyRegistry::AnyRegistry;

  void add(std::string name, Entry entry) {
    if (entries_.contains(name)) refuse_second(name);
    if (!has_function(entry)) return note_without_function(std::move(name));
    entries_.emplace(std::move(name), std::move(entry));
  }
  /// As add(), but before main() or while a library is loaded, where an exception can't be caught: a name
  /// that is taken is noted as a conflict, and the first entry stays.
  bool offer(std::string name, Entry entry) noexcept {
    if (!has_function(entry)) {
      note_without_function(std::move(name));
      return false;
    }
    const bool fresh = entries_.emplace(name, std::move(entry)).second;
    if (!fresh) note_conflict(std::move(name));
    return fresh;
  }
  [[nodiscard]] std::size_t size() const override { return entries_.size(); }
  [[nodiscard]] bool has(std::string_view name) const override { return entries_.contains(name); }

  [[nodiscard]] const Entry* find(std::string_view name) const {
    const auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }
  [[nodiscard]] const Entry& at(std::string_view name) const {
    require_one(name);
    if (const Entry* entry = find(name)) return *entry;
    refuse(name, names());
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }
  [[nodiscard]] const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

 private:
  static bool has_function(const Entry& entry) {
    if constexpr (requires { entry.has_function(); }) return entry.has_function();
    return true;
  }

  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace kbsim
