#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/config/describe.hpp"

#include "config_tree.hpp"
#include "expectation.hpp"
#include "scalar_text.hpp"

namespace kbsim::config {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kUnits{{{"ns_per_mm", "ns/mm"},
                                                                               {"_per_ns", "1/ns"},
                                                                               {"_gbs", "GB/s"},
                                                                               {"_ns", "ns"},
                                                                               {"_mm", "mm"},
                                                                               {"_ghz", "GHz"},
                                                                               {"_cycles", "cycles"},
                                                                               {"_lanes", "elements"},
                                                                               {"_outstanding", "requests"}}};

std::string unit_of(std::string_view key) {
  const auto* unit = std::ranges::find_if(kUnits, [&](const auto& u) { return key.ends_with(u.first); });
  return unit == kUnits.end() ? "" : fmt::format(" ({})", unit->second);
}

class Page {
 public:
  void file(std::string_view name, const std::vector<Field>& fields, void* spec) {
    heading(name);
    section(fields, spec, "");
  }
  void model(std::string_view impl, const std::vector<Field>& fields) {
    if (fields.empty()) {
      text_ += fmt::format("\n## {}\n\nIt has no attributes.\n", impl);
      return;
    }
    heading(impl);
    for (const Field& field : fields) row(field.name, field, to_text(field.get(field.fresh().get()), field));
  }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  void heading(std::string_view name) {
    text_ += fmt::format("\n## {}\n\n| key | takes | default | meaning |\n|---|---|---|---|\n", name);
  }
  void row(const std::string& key, const Field& field, const std::string& initial) {
    text_ += fmt::format("| `{}` | {}{} | `{}` | {} |\n", key, expectation(field), unit_of(key), initial,
                         field.doc);
  }
  void group(const std::string& path, const Field& field) {
    const char* const takes = field.type == FieldType::map    ? "a map of NAME to keys"
                              : field.type == FieldType::list ? "a list of maps of keys"
                                                              : "a map of keys";
    text_ += fmt::format("| **`{}`** | {} | | {} |\n", path, takes, field.doc);
  }

  void section(const std::vector<Field>& fields, void* spec, const std::string& path) {
    for (const Field& each : fields) field(each, spec, join_key(path, each.name));
  }
  void field(const Field& field, void* spec, const std::string& path) {
    if (field.type == FieldType::section) {
      group(path, field);
      section(*field.section, field.member(spec), path);
    } else if (field.type == FieldType::map) {
      group(path, field);
      section(*field.section, field.section->front().fresh().get(), path + ".NAME");
    } else if (field.type == FieldType::list) {
      group(path, field);
      section(*field.section, field.section->front().fresh().get(), path + ".N");
    } else if (field.type == FieldType::component) {
      row(path, field, static_cast<const ComponentSpec*>(field.member(spec))->impl);
    } else {
      row(path, field, to_text(field.get(spec), field));
    }
  }

  std::string text_ =
      "# Configuration keys\n\nEvery key that a file may give, and that `--set key=value` may override. A "
      "topology file may have the keys of "
      "ccl.yaml, too, in a section `ccl`; no other file of algorithms is read then. Where `--set` chooses "
      "another model (`impl`), attributes in the file that only other models have are left out, and a line "
      "on "
      "stderr says so.\n";
};

}  // namespace

std::string reference_markdown(const ComponentCatalog& catalog) {
  Page page;
  MachineSpec machine;
  CclSpec ccl;
  page.file("topology.yaml", fields_of<MachineSpec>(), &machine);
  page.file("ccl.yaml", fields_of<CclSpec>(), &ccl);
  for (const auto& [kernel, keys] : kernel_keys().entries())
    page.model(fmt::format("kernel {}, in its algorithms", kernel), *keys.fields);
  for (const std::string& impl : catalog.impls()) page.model(impl, *catalog.fields(impl));
  return page.text();
}

}  // namespace kbsim::config
