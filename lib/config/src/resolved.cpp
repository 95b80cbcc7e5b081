#include <memory>
#include <vector>

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/stlemitter.h>

#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/config/describe.hpp"

#include "scalar_text.hpp"

namespace kbsim::config {
namespace {

// Stands in for an emitter: writes each name and value with its length, for comparison only.
class Compact {
 public:
  Compact& operator<<(const std::string& text) {
    text_ += std::to_string(text.size()) + ':' + text;
    return *this;
  }
  Compact& operator<<(const std::vector<std::string>& all) {
    for (const std::string& each : all) *this << each;
    return *this << YAML::EndSeq;
  }
  Compact& operator<<(YAML::EMITTER_MANIP mark) {
    if (mark == YAML::BeginMap) text_ += '{';
    if (mark == YAML::EndMap) text_ += '}';
    if (mark == YAML::EndSeq) text_ += ']';
    return *this;
  }
  [[nodiscard]] const char* c_str() const { return text_.c_str(); }

 private:
  std::string text_;
};

template <class Output>
class Writer {
 public:
  explicit Writer(const ComponentCatalog* catalog) : catalog_{catalog} {}

  void section(const std::vector<Field>& fields, void* spec) {
    out_ << YAML::BeginMap;
    keys(fields, spec);
    out_ << YAML::EndMap;
  }
  // With the algorithms as one more section.
  void both(const std::vector<Field>& machine, void* spec, const std::vector<Field>& ccl, void* algorithms) {
    out_ << YAML::BeginMap;
    keys(machine, spec);
    out_ << YAML::Key << "ccl" << YAML::Value;
    section(ccl, algorithms);
    out_ << YAML::EndMap;
  }
  [[nodiscard]] std::string text() const { return std::string{out_.c_str()} + "\n"; }

 private:
  void keys(const std::vector<Field>& fields, void* spec) {
    for (const Field& each : fields) {
      if (each.written && !each.written(spec)) continue;
      out_ << YAML::Key << each.name << YAML::Value;
      field(each, spec);
    }
  }

  void field(const Field& field, void* spec) {
    switch (field.type) {
      case FieldType::section: return section(*field.section, field.member(spec));
      case FieldType::component: return component(*static_cast<const ComponentSpec*>(field.member(spec)));
      case FieldType::map: return map(field, spec);
      case FieldType::list: return list(field, spec);
      default: return value(field, spec);
    }
  }

  void value(const Field& field, const void* spec) {
    const Scalar scalar = field.get(spec);
    if (const auto* list = std::get_if<std::vector<std::string>>(&scalar)) {
      out_ << YAML::Flow << *list;
    } else {
      out_ << to_text(scalar, field);
    }
  }

  void map(const Field& field, void* spec) {
    out_ << YAML::BeginMap;
    for (const auto& [name, entry] : field.entries(spec)) {
      out_ << YAML::Key << name << YAML::Value;
      out_ << YAML::BeginMap;
      keys(*field.section, entry);
      if (field.section == &fields_of<AlgorithmSpec>()) own(*static_cast<const AlgorithmSpec*>(entry));
      out_ << YAML::EndMap;
    }
    out_ << YAML::EndMap;
  }

  void list(const Field& field, void* spec) {
    out_ << YAML::BeginSeq;
    for (void* const item : field.items(spec)) section(*field.section, item);
    out_ << YAML::EndSeq;
  }

  // The keys of an algorithm's kernel.
  void own(const AlgorithmSpec& algorithm) {
    const KernelKeys* kernel = kernel_keys().find(algorithm.kernel);
    if (kernel != nullptr) attributes(*kernel->fields, algorithm.own);
  }

  void component(const ComponentSpec& spec) {
    out_ << YAML::BeginMap << YAML::Key << "impl" << YAML::Value << spec.impl;
    const std::vector<Field>* fields = catalog_ == nullptr ? nullptr : catalog_->fields(spec.impl);
    if (fields != nullptr) attributes(*fields, spec.attrs);
    out_ << YAML::EndMap;
  }

  void attributes(const std::vector<Field>& fields, const std::map<std::string, Scalar>& all) {
    for (const Field& attribute : fields) {
      const std::shared_ptr<void> model = attribute.fresh();
      const auto given = all.find(attribute.name);
      if (given != all.end()) attribute.set(model.get(), given->second);
      out_ << YAML::Key << attribute.name << YAML::Value;
      value(attribute, model.get());
    }
  }

  const ComponentCatalog* catalog_;
  Output out_;
};

// A PE's share of memory channels stands where its slice would.
void settle(MachineSpec& spec) { spec.cube.memory.hbm_per_pe = spec.hbm_per_pe(); }
void settle(auto&) {}

template <class Spec>
std::string resolved(Spec spec, const ComponentCatalog* catalog) {
  settle(spec);
  Writer<YAML::Emitter> writer{catalog};
  writer.section(fields_of<Spec>(), &spec);
  return writer.text();
}

template <class Output>
std::string both(MachineSpec machine, CclSpec ccl, const ComponentCatalog& catalog) {
  settle(machine);
  Writer<Output> writer{&catalog};
  writer.both(fields_of<MachineSpec>(), &machine, fields_of<CclSpec>(), &ccl);
  return writer.text();
}

}  // namespace

std::string resolved_yaml(const MachineSpec& spec, const ComponentCatalog& catalog) {
  return resolved(spec, &catalog);
}

std::string resolved_yaml(const CclSpec& spec) { return resolved(spec, nullptr); }

std::string resolved_yaml(const NocToriSpec& spec) { return resolved(spec, nullptr); }

std::string resolved_yaml(const MachineSpec& machine, const CclSpec& ccl, const ComponentCatalog& catalog) {
  return both<YAML::Emitter>(machine, ccl, catalog);
}

std::string resolved_compactly(const MachineSpec& machine, const CclSpec& ccl,
                               const ComponentCatalog& catalog) {
  return both<Compact>(machine, ccl, catalog);
}

}  // namespace kbsim::config
