#include "reader.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"
#include "kbsim/base/registry.hpp"

#include "expectation.hpp"
#include "value.hpp"

namespace kbsim::config {
namespace {

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace

ConfigProblem unknown_key(const TreeEntry& entry, const std::vector<std::string>& known,
                          const std::string& path, const std::string& hint) {
  const std::string name = printable(entry.key);
  const Place& at = entry.value.layer > 0 ? entry.value.at : entry.at;  // an override of a key of the file
  return {at, join_key(path, name), "unknown key" + (hint.empty() ? name_hint(name, known) : hint)};
}

void Reader::section(const Tree& tree, const std::vector<Field>& fields, void* spec,
                     const std::string& path) {
  places_[path] = tree.at;
  if (!has_keys(tree, expectation({.type = FieldType::section, .section = &fields}), path)) return;
  for (const TreeEntry& entry : tree.entries) {
    if (std::ranges::find(fields, entry.key, &Field::name) == fields.end())
      problems_.push_back(unknown_key(entry, names_of(fields), path));
  }
  for (const Field& each : fields) {
    if (const TreeEntry* entry = tree.find(each.name))
      field(entry->value, each, spec, join_key(path, each.name));
  }
}

void Reader::field(const Tree& tree, const Field& field, void* spec, const std::string& path) {
  switch (field.type) {
    case FieldType::section: return section(tree, *field.section, field.member(spec), path);
    case FieldType::component: return component(tree, *static_cast<ComponentSpec*>(field.member(spec)), path);
    case FieldType::map: return map(tree, field, spec, path);
    case FieldType::list: return list(tree, field, spec, path);
    default: return value(tree, field, spec, path);
  }
}

void Reader::value(const Tree& tree, const Field& field, void* spec, const std::string& path) {
  places_[path] = tree.at;
  const std::optional<Scalar> value = read_value(tree, field);
  if (!value) return report(mismatches(tree, field, path));
  try {
    field.set(spec, *value);
  } catch (const UsageError& error) {
    report(tree.at, path, error.what());
  }
}

void Reader::map(const Tree& tree, const Field& field, void* spec, const std::string& path) {
  places_[path] = tree.at;
  if (!has_keys(tree, expectation(field), path)) return;
  for (const TreeEntry& entry : tree.entries) {
    section(entry.value, *field.section, field.entry(spec, entry.key), join_key(path, printable(entry.key)));
  }
}

void Reader::list(const Tree& tree, const Field& field, void* spec, const std::string& path) {
  places_[path] = tree.at;
  if (tree.kind == Tree::Kind::null) return;
  if (tree.kind != Tree::Kind::list)
    return report(tree.at, path, fmt::format("found {}, expected {}", found(tree), expectation(field)));
  for (std::size_t i = 0; i < tree.items.size(); ++i)
    section(tree.items[i], *field.section, field.append(spec), join_key(path, std::to_string(i)));
}

void Reader::component(const Tree& tree, ComponentSpec& spec, const std::string& path) {
  places_[path] = tree.at;
  spec.at = tree.at;
  if (!has_keys(tree, "a map with impl and the model's attributes", path)) return;
  ComponentTree parts = split_component(tree, path, problems_);
  for (const TreeEntry* text : {parts.impl, parts.kind}) {
    if (text != nullptr && text->value.kind != Tree::Kind::scalar)
      report(text->value.at, join_key(path, text->key), mismatch(text->value, {.type = FieldType::text}));
  }
  const std::string usual = spec.impl;
  if (parts.impl != nullptr) spec.impl = parts.impl->value.text;
  if (parts.impl != nullptr && parts.impl->value.layer > 0) spec.at = parts.impl->value.at;
  if (const std::vector<Field>* fields = catalog_.fields(spec.impl)) {
    if (parts.kind != nullptr && !catalog_.has_kind(spec.impl))
      report(parts.kind->at, join_key(path, parts.kind->key),
             fmt::format("has no meaning: {} is of no kind that the machine knows", spec.impl));
    leave_out_others(parts, *fields);
    return attributes(parts.attributes, *fields, spec, path);
  }
  if (parts.impl == nullptr || parts.impl->value.kind == Tree::Kind::scalar) {
    const std::string hint = model_hint(printable(spec.impl), usual);
    report(parts.impl == nullptr ? tree.at : parts.impl->value.at, join_key(path, "impl"),
           fmt::format("unknown model '{}'{}", printable(spec.impl), hint));
  }
}

// An override that chooses another model makes the file's attributes of the old model void.
void Reader::leave_out_others(ComponentTree& parts, const std::vector<Field>& fields) {
  if (parts.impl == nullptr || parts.impl->value.layer == 0) return;
  std::vector<std::string> left_out;
  std::erase_if(parts.attributes.entries, [&](const TreeEntry& entry) {
    const bool others = entry.value.layer == 0 &&
                        std::ranges::find(fields, entry.key, &Field::name) == fields.end() &&
                        is_known(entry.key);
    if (others) left_out.push_back(fmt::format("{} ({})", entry.key, to_string(entry.at)));
    return others;
  });
  if (left_out.empty()) return;
  notes_.push_back(fmt::format("{}: {} has no {}: left out", to_string(parts.impl->value.at),
                               parts.impl->value.text, fmt::join(left_out, ", ")));
}

bool Reader::is_known(const std::string& attribute) const { return !models_with(attribute).empty(); }

std::vector<std::string> Reader::models_with(const std::string& attribute) const {
  std::vector<std::string> models = catalog_.impls();
  std::erase_if(models, [&](const std::string& impl) {
    const std::vector<Field>& fields = *catalog_.fields(impl);
    return std::ranges::find(fields, attribute, &Field::name) == fields.end();
  });
  return models;
}

// The other models of this kind that have the attribute: `impl` may be missing.
std::string Reader::others_with(const std::string& attribute, const std::string& impl) const {
  std::vector<std::string> models = models_with(attribute);
  std::erase_if(models, [&](const std::string& other) { return !catalog_.interchangeable(impl, other); });
  if (models.empty()) return "";
  return fmt::format(" of {}; models that have it: {}", impl, fmt::join(models, ", "));
}

// The nearest name among models that can replace the usual one, or among all if there is none.
std::string Reader::model_hint(const std::string& impl, const std::string& usual) const {
  const std::vector<std::string> all = catalog_.impls();
  if (all.empty()) return std::string{kNoneRegistered};
  std::vector<std::string> alike = all;
  std::erase_if(alike, [&](const std::string& other) { return !catalog_.interchangeable(usual, other); });
  if (alike.empty() && usual.empty())
    return ": no model of a part is known; one of your own comes with --plugin FILE";
  return name_hint(impl, alike.empty() ? all : alike);
}

// Each value passes through a Spec of the model, which knows the types of its members.
void Reader::attributes(const Tree& tree, const std::vector<Field>& fields, ComponentSpec& spec,
                        const std::string& path) {
  std::vector<std::string> known = names_of(fields);
  known.insert(known.end(), {"impl", "kind", "attrs"});
  for (const TreeEntry& entry : tree.entries) {
    const auto field = std::ranges::find(fields, entry.key, &Field::name);
    if (field == fields.end()) {
      problems_.push_back(unknown_key(entry, known, path, others_with(entry.key, spec.impl)));
      continue;
    }
    const std::shared_ptr<void> model = field->fresh();
    value(entry.value, *field, model.get(), join_key(path, entry.key));
    spec.attrs[entry.key] = field->get(model.get());
    spec.places[entry.key] = entry.value.at;
  }
}

std::map<std::string, Scalar> Reader::values(const Tree& tree, const std::vector<Field>& fields,
                                             const std::string& path) {
  ComponentSpec given;
  attributes(tree, fields, given, path);
  return given.attrs;
}

bool Reader::has_keys(const Tree& tree, const std::string& expected, const std::string& path) {
  if (tree.kind == Tree::Kind::map) return true;
  if (tree.kind != Tree::Kind::null)
    report(tree.at, path, fmt::format("found {}, expected {}", found(tree), expected));
  return false;
}

void Reader::report(const Place& at, const std::string& path, const std::string& text) {
  problems_.push_back({at, path, text});
}

void Reader::report(const Problems& problems) {
  problems_.insert(problems_.end(), problems.begin(), problems.end());
}

Place Reader::place(std::string key) const {
  for (;;) {
    if (const auto it = places_.find(key); it != places_.end()) return it->second;
    const std::size_t dot = key.rfind('.');
    key = dot == std::string::npos ? "" : key.substr(0, dot);
  }
}

}  // namespace kbsim::config
