// kbsim import: the kinds of foreign files that kbsim takes, and the contents of one file.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/description/file_kind.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_operations.hpp"

#include "commands.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;
namespace fs = std::filesystem;

struct Format {
  const char* name;
  const char* example;
};

constexpr std::array<Format, 8> kFormats{
    {{"collective plans: MSCCL XML and MSCCL++ JSON (docs/how-to/collective-plans.md)",
      "kbsim ccl import plan.xml"},
     {"recorded traffic: NoC traces as JSON (docs/how-to/noc-traces.md)",
      "kbsim traffic --topology wormhole.yaml --trace events.json"},
     {"the constants of a network, fitted to such traces", "kbsim fit --trace traces"},
     {"measured collectives: logs of nccl-tests and rccl-tests",
      "kbsim correlate --results mine/results.csv --reference ring_allreduce_tcm=all_reduce_perf.log"},
     {"the same as CSV or JSON: size, time, and what else a row says",
      "kbsim --bench ccl --algorithm ring_allreduce_tcm --reference measured.csv"},
     {"execution traces: Chakra, a folder of NAME.RANK.et",
      "kbsim --bench chakra --workload traces --set system.sips.count=4"},
     {"layer lists: CSV of SCALE-Sim, products and convolutions", "kbsim --bench gemm --layers resnet.csv"},
     {"model configurations: config.json of a model hub", "kbsim --bench llm --model config.json"}}};

std::string formats_text() {
  std::string text = "\nfiles of others, each with an example:\n";
  for (const Format& format : kFormats) text += fmt::format("  {}\n    {}\n", format.name, format.example);
  return text;
}

// A file name, quoted for a shell.
std::string quoted(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view{"_./+-=:,@%"}.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return text + "'";
}

json::object with_command(json::object about, const std::string& command) {
  about["command"] = command;
  return about;
}

json::object about_plan(const ccl::Plan& plan, const std::string& file) {
  json::object about = inputs::describe(plan, ccl::judge(plan));
  const bool right = about.at("correct").as_bool();
  return with_command(
      std::move(about),
      fmt::format(
          "kbsim --bench ccl --algorithm {} --set system.sips.count={} --set system.sips.topology=full{}",
          file, plan.ranks(), right ? "" : " -c 0"));
}

json::object about_model(const fs::path& file) {
  const models::ModelConfig model = models::read_model_config(file.string());
  const models::Work work =
      models::sum_of(models::layer_operations(model, model.layer_kind(0), models::prefill_step(1)));
  return {{"format", name_of(inputs::FileKind::model)},
          {"family", model.family},
          {"hidden_size", model.hidden_size},
          {"num_attention_heads", model.num_attention_heads},
          {"num_key_value_heads", model.num_key_value_heads},
          {"head_dim", model.head_dim},
          {"intermediate_size", model.intermediate_size},
          {"gated", model.gated()},
          {"rms_norm", model.rms_norm},
          {"attention_bias", model.attention_bias},
          {"mlp_bias", model.mlp_bias},
          {"num_hidden_layers", model.num_hidden_layers},
          {"torch_dtype", fmt::format("{}{}", to_string(model.torch_dtype),
                                      model.dtype_assumed ? models::kAssumedDtype : "")},
          {"flop_of_a_layer_and_token", work.flop},
          {"command", fmt::format("kbsim --bench llm --model {} --timing-only", quoted(file.string()))}};
}

json::object about_file(const fs::path& file) {
  const std::string name = quoted(file.string());
  switch (inputs::kind_of_file(file)) {
    case inputs::FileKind::msccl_plan: return about_plan(inputs::read_msccl(file.string()), name);
    case inputs::FileKind::mscclpp_plan: return about_plan(inputs::read_mscclpp(file.string()), name);
    case inputs::FileKind::noc_trace:
      return with_command(inputs::describe_noc_trace(file),
                          "kbsim traffic --topology wormhole.yaml --trace " + name);
    case inputs::FileKind::model: return about_model(file);
    case inputs::FileKind::layers:
      return with_command(inputs::describe_layers(file), "kbsim --bench gemm --layers " + name);
    case inputs::FileKind::chakra_trace:
      return with_command(
          inputs::describe_chakra_trace(file),
          "kbsim import " + quoted(file.has_parent_path() ? file.parent_path().string() : "."));
    case inputs::FileKind::measurements:
      return with_command(inputs::describe_measurements(file),
                          "kbsim correlate --results mine/results.csv --reference " + name);
    case inputs::FileKind::unknown: break;
  }
  throw UsageError{
      fmt::format("{}: no kind of file that is known: {}; kbsim import --help lists what is read",
                  file.string(), inputs::what_is_unknown(file))};
}

struct FolderContents {
  std::map<inputs::FileKind, int> files;  // number of each kind; unreadable ones count as others
  int folders = 0;
};

FolderContents contents_of(const fs::path& folder) {
  FolderContents found;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
    if (entry.is_directory()) ++found.folders;
    if (!entry.is_regular_file()) continue;
    ++found.files[why_unreadable(entry.path()).empty() ? inputs::kind_of_file(entry.path())
                                                       : inputs::FileKind::unknown];
  }
  return found;
}

json::object about_traces(const fs::path& folder) {
  json::object about = inputs::describe_chakra_folder(folder);
  const auto ranks = about.at("ranks").to_number<int>();
  return with_command(
      std::move(about),
      fmt::format("kbsim --bench chakra --workload {} --set system.sips.count={} --timing-only",
                  quoted(folder.string()), ranks));
}

json::object about_folder(const fs::path& folder) {
  const auto& [kinds, folders] = contents_of(folder);
  if (kinds.contains(inputs::FileKind::chakra_trace)) return about_traces(folder);
  json::object about{{"format", "a folder"}};
  for (const auto& [kind, count] : kinds) about[name_of(kind)] = count;
  if (folders > 0) about["folders"] = folders;
  if (kinds.contains(inputs::FileKind::noc_trace))
    return with_command(std::move(about),
                        "kbsim fit --topology wormhole.yaml --trace " + quoted(folder.string()));
  if (kinds.empty() && folders == 0)
    throw UsageError{
        fmt::format("{}: no file is in it; give a file, or a folder of execution traces", folder.string())};
  return with_command(std::move(about), fmt::format("kbsim import {}", quoted((folder / "FILE").string())));
}

json::object about(const fs::path& file) {
  std::error_code ignored;
  return fs::is_directory(file, ignored) ? about_folder(file) : about_file(file);
}

}  // namespace

ExitCode import_file(const Arguments& arguments) {
  std::string file;
  bool as_json = false;
  po::options_description all{"options of kbsim import"};
  auto add = all.add_options();
  add("file", po::value(&file)->value_name("FILE")->required(),
      "a file in one of the formats below, or a folder of them");
  add("json", po::bool_switch(&as_json), "print its contents as JSON");
  parse_options(arguments, all,
                {.usage = "kbsim import FILE [--json]", .examples = formats_text(), .positional = "file"});
  json::object found = about(file);
  if (as_json) {
    std::cout << json_as_utf8(json::serialize(found)) << '\n';
    return ExitCode::ok;
  }
  fmt::print(" {}: {}\n", file, found.at("format").as_string().c_str());
  const std::string command{found.at("command").as_string()};
  for (const char* const shown : {"format", "command"}) found.stable_erase(shown);
  fmt::print("{} next: {}\n", inputs::lines_about(found), command);
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

}  // namespace kbsim::app
