#pragma once

#include <map>
#include <string>
#include <vector>

#include "kbsim/base/field.hpp"
#include "kbsim/config/catalog.hpp"

#include "component_tree.hpp"
#include "config_tree.hpp"

namespace kbsim::config {

/// The problem of an unknown key in its section; `hint`, if given, replaces the nearest name.
[[nodiscard]] ConfigProblem unknown_key(const TreeEntry& entry, const std::vector<std::string>& known,
                                        const std::string& path, const std::string& hint = "");

/// Fills a Spec from a tree by the Spec's fields alone; continues after a mistake, to find all of them.
class Reader {
 public:
  Reader(const ComponentCatalog& catalog, Problems& problems) : catalog_{catalog}, problems_{problems} {}

  void section(const Tree& tree, const std::vector<Field>& fields, void* spec, const std::string& path = "");

  /// The values of a model whose Spec isn't known here, through a Spec of the model's own.
  [[nodiscard]] std::map<std::string, Scalar> values(const Tree& tree, const std::vector<Field>& fields,
                                                     const std::string& path);

  /// Entries of the file that an override has made void, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Where the key was given; where its section was, if it wasn't.
  [[nodiscard]] Place place(std::string key) const;
  [[nodiscard]] bool was_given(const std::string& key) const { return places_.contains(key); }

 private:
  void field(const Tree& tree, const Field& field, void* spec, const std::string& path);
  void value(const Tree& tree, const Field& field, void* spec, const std::string& path);
  void map(const Tree& tree, const Field& field, void* spec, const std::string& path);
  void list(const Tree& tree, const Field& field, void* spec, const std::string& path);
  void component(const Tree& tree, ComponentSpec& spec, const std::string& path);
  void attributes(const Tree& tree, const std::vector<Field>& fields, ComponentSpec& spec,
                  const std::string& path);
  void leave_out_others(ComponentTree& parts, const std::vector<Field>& fields);
  [[nodiscard]] bool is_known(const std::string& attribute) const;
  [[nodiscard]] std::vector<std::string> models_with(const std::string& attribute) const;
  [[nodiscard]] std::string others_with(const std::string& attribute, const std::string& impl) const;
  [[nodiscard]] std::string model_hint(const std::string& impl, const std::string& usual) const;

  /// False if there are no keys to read; a problem unless there is nothing at all.
  bool has_keys(const Tree& tree, const std::string& expected, const std::string& path);
  void report(const Place& at, const std::string& path, const std::string& text);
  void report(const Problems& problems);

  const ComponentCatalog& catalog_;
  Problems& problems_;
  std::map<std::string, Place> places_;
  std::vector<std::string> notes_;
};

}  // namespace kbsim::config
