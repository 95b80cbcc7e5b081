// Every described key is read, documented and, in the shipped file, spelled out.
#include <functional>

#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"

#include "files.hpp"
#include "support.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

using Visit = std::function<void(const std::string& key, const Field& field, const Scalar& initial)>;

void visit_model(const std::string& path, const ComponentSpec& component, const Visit& visit) {
  for (const Field& field : *kModels.fields(component.impl))
    visit(path + "." + field.name, field, field.get(field.fresh().get()));
}

void visit_values(const std::vector<Field>& fields, void* spec, const std::string& path, const Visit& visit) {
  for (const Field& field : fields) {
    const std::string key = path.empty() ? field.name : path + "." + field.name;
    CHECK_MESSAGE(!field.doc.empty(), key);
    if (field.type == FieldType::section)
      visit_values(*field.section, field.member(spec), key, visit);
    else if (field.type == FieldType::component)
      visit_model(key, *static_cast<const ComponentSpec*>(field.member(spec)), visit);
    else if (field.type == FieldType::map)
      CHECK(field.entries(spec).empty());  // its names are the user's
    else if (field.type == FieldType::list)
      CHECK(field.items(spec).empty());  // its items likewise
    else
      visit(key, field, field.get(spec));
  }
}

void visit_machine(const Visit& visit) {
  MachineSpec spec;
  visit_values(fields_of<MachineSpec>(), &spec, "", visit);
}

// Another value that the field accepts, as YAML.
std::string another(const Field& field, const Scalar& initial) {
  if (field.type == FieldType::text) return field.choices.at(1);
  if (field.name == "map") return "[\"PP..\", \"....\", \"....\", \"....\"]";
  if (field.name == "links") return "[east_south]";
  if (field.name == "interleave_bytes") return "8KiB";
  if (field.pairs) return "[[1, 1]]";
  if (field.type == FieldType::text_list) return field.choices.empty() ? "[0-1]" : "[SE]";
  if (field.type == FieldType::boolean) return std::get<bool>(initial) ? "false" : "true";
  if (field.type == FieldType::number) return std::get<double>(initial) == 0.5 ? "0.25" : "0.5";
  const std::int64_t now = std::get<std::int64_t>(initial);
  return std::to_string(static_cast<double>(now + 1) <= field.max ? now + 1 : now - 1);
}

// A machine on which the key may have another value: rows and columns of packages go together, and keys of a
// floor plan need one.
std::string file_for(const std::string& key) {
  const std::string plan = "cube: {floorplan: {";
  if (key == "cube.floorplan.pe.grid.x") return plan + "pe: {grid: {y: [0]}}}}";
  if (key == "cube.floorplan.pe.grid.y") return plan + "pe: {grid: {x: [0]}}}}";
  if (key.starts_with("cube.floorplan.hbm"))
    return plan + "pe: {at: [0, 0]}, hbm: {channels: [{at: [0, 0]}], interleave_bytes: 0}}}";
  if (key.starts_with("cube.floorplan") && key != "cube.floorplan.map" && key != "cube.floorplan.pe.at")
    return plan + "pe: {at: [0, 0]}}}";
  if (key == "system.sips.link.frame.payload_bytes")
    return "system: {sips: {link: {frame: {overhead_bytes: 1}}}}";
  if (key == "system.sips.link.frame.overhead_bytes")
    return "system: {sips: {link: {frame: {payload_bytes: 1}}}}";
  if (key == "sip.ucie_link.frame.payload_bytes") return "sip: {ucie_link: {frame: {overhead_bytes: 1}}}";
  if (key == "sip.ucie_link.frame.overhead_bytes") return "sip: {ucie_link: {frame: {payload_bytes: 1}}}";
  if (key == "system.sips.link.receive_ns")
    return "system: {sips: {link: {packet_ns: 1000000000, store_and_forward: true}}}";
  if (key == "sip.ucie_link.receive_ns")
    return "sip: {ucie_link: {packet_ns: 1000000000, store_and_forward: true}}";
  if (key == "system.sips.bubble") return "system: {sips: {count: 4, topology: ring_1d, link: {credits: 2}}}";
  if (key.starts_with("cube.noc.use")) return "cube: {noc: {links: [both, both], use: {}}}";
  if (key == "cube.noc.links") return "cube: {noc: {wrap: true}}";
  if (key.starts_with("system.sips.switch"))
    return "system: {sips: {count: 2, topology: links, links: [{a: sip0, b: sw}, {a: sip1, b: sw}]}}";
  if (key == "system.sips.topology") return "system: {sips: {count: 1}}";
  if (key == "system.sips.w") return "system: {sips: {h: 2}}";
  return key == "system.sips.h" ? "system: {sips: {w: 2}}" : "schema_version: 1";
}

}  // namespace

TEST_CASE("Audit: every key of a machine is read: giving it changes the resolved copy") {
  const std::string before = resolved_yaml(MachineSpec{}, kModels);
  int keys = 0;
  visit_machine([&](const std::string& key, const Field& field, const Scalar& initial) {
    if (key == "schema_version") return;  // has one value only
    const MachineSpec changed = machine(file_for(key), {key + "=" + another(field, initial)});
    CHECK_MESSAGE(resolved_yaml(changed, kModels) != before, key);
    ++keys;
  });
  CHECK(keys > 50);
}

TEST_CASE("Audit: configs/topology.yaml spells out every key") {
  const std::string written = kbsim::test::contents(KBSIM_SOURCE_DIR "/configs/topology.yaml");
  visit_machine([&](const std::string&, const Field& field, const Scalar&) {
    CHECK_MESSAGE(written.find(field.name + ":") != std::string::npos, field.name);
  });
}

TEST_CASE("Audit: the reference page has a row for every key, algorithm setting and model attribute") {
  const std::string page = reference_markdown(kModels);
  const auto documented = [&](const std::string& key) {
    return page.find("| `" + key + "` |") != std::string::npos;
  };
  MachineSpec spec;
  visit_values(fields_of<MachineSpec>(), &spec, "",
               [&](const std::string& key, const Field& field, const Scalar&) {
                 CHECK_MESSAGE((documented(key) || documented(field.name)), key);
               });
  for (const Field& field : fields_of<CclDefaults>()) CHECK(documented("defaults." + field.name));
  for (const Field& field : fields_of<AlgorithmSpec>()) {
    CAPTURE(field.name);
    if (field.type != FieldType::list) CHECK(documented("algorithms.NAME." + field.name));
  }
  for (const Field& field : fields_of<ChosenSpec>())
    CHECK(documented("algorithms.NAME.chosen.N." + field.name));
  for (const std::string& impl : kModels.impls())
    CHECK(page.find("\n## " + impl + "\n") != std::string::npos);
}

TEST_CASE("Reference page: a row says what a key takes, its unit, its default and its meaning") {
  const std::string page = reference_markdown(kModels);
  for (const std::string row :
       {"| `sip.cube_mesh.w` | an integer from 1 to 32 | `4` | columns |\n",
        "| `system.host_link.bw_gbs` | a number from 0.001 to 1000000000 (GB/s) | `64` | bandwidth of one "
        "direction, 1 "
        "GB = 1e9 bytes |\n",
        "| `cube.xbar` | a map with impl and the model's attributes | `builtin.xbar` | joins the PEs and the "
        "NOC to "
        "the HBM slices |\n",
        "| `defaults.buffer_kind` | one of tcm, hbm, sram | `tcm` | memory that holds the slots |\n",
        "## builtin.host\n\nIt has no attributes.\n"})
    CHECK_MESSAGE(page.find(row) != std::string::npos, row);
}
