// kbsim import: which files of others can be given, and what is in one.
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/evaluate/decoder_run.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/description/file_kind.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"

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
    {{"collective plans: MSCCL XML and MSCCL++ JSON (docs/collective-plans.md)", "kbsim ccl import plan.xml"},
     {"recorded traffic: NoC traces as JSON (docs/noc-traces.md)",
      "kbsim traffic --topology wormhole.yaml --trace events.json"},
     {"the constants of a network, fitted to such traces", "kbsim fit --trace traces"},
     {"measured collectives: logs of nccl-tests and rccl-tests",
      "kbsim correlate --results mine/results.csv --reference ring_allreduce_tcm=all_reduce_perf.log"},
     {"the same as CSV or JSON: size, time, and what else a row says",
      "kbsim --bench ccl --algorithm ring_allreduce_tcm --reference measured.csv"},
     {"execution traces: Chakra, a folder of NAME.RANK.et",
      "kbsim --bench chakra --workload traces --set system.sips.count=4"},
     {"layer lists: CSV of SCALE-Sim, products and convolutions", "kbsim --bench gemm --layers resnet.csv"},
     {"model configurations: config.json of a model hub",
      "kbsim --bench tp_transformer_block --model config.json"}}};

std::string formats_text() {
  std::string text = "\nfiles of others, each with an example:\n";
  for (const Format& format : kFormats) text += fmt::format("  {}\n    {}\n", format.name, format.example);
  return text;
}

json::object about_plan(const ccl::Plan& plan) { return inputs::describe(plan, ccl::judge(plan)); }

json::object about_model(const fs::path& file) {
  const evaluate::ModelConfig model = evaluate::read_model_config(file.string());
  const evaluate::DecoderWork row = evaluate::closed_form({.model = model, .tokens = 1});
  return {{"format", "model configuration"},
          {"hidden_size", model.hidden_size},
          {"num_attention_heads", model.num_attention_heads},
          {"num_key_value_heads", model.num_key_value_heads},
          {"head_dim", model.head_dim},
          {"intermediate_size", model.intermediate_size},
          {"gated", model.gated()},
          {"num_hidden_layers", model.num_hidden_layers},
          {"torch_dtype", to_string(model.torch_dtype)},
          {"flop_of_a_layer_and_token", row.flop}};
}

json::object about_file(const fs::path& file) {
  switch (inputs::kind_of_file(file)) {
    case inputs::FileKind::msccl_plan: return about_plan(inputs::read_msccl(file.string()));
    case inputs::FileKind::mscclpp_plan: return about_plan(inputs::read_mscclpp(file.string()));
    case inputs::FileKind::noc_trace: return inputs::describe_noc_trace(file);
    case inputs::FileKind::model: return about_model(file);
    case inputs::FileKind::layers: return inputs::describe_layers(file);
    case inputs::FileKind::measurements: break;
  }
  return inputs::describe_measurements(file);
}

json::object about(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return inputs::describe_chakra_folder(file);
  return file.extension() == ".et" ? inputs::describe_chakra_trace(file) : about_file(file);
}

}  // namespace

ExitCode import_file(const Arguments& arguments) {
  std::string file;
  bool as_json = false;
  po::options_description all{"options of kbsim import"};
  auto add = all.add_options();
  add("file", po::value(&file)->value_name("FILE")->required(),
      "a file, or a folder of execution traces, of others");
  add("json", po::bool_switch(&as_json), "print what is in it as JSON");
  parse_options(arguments, all,
                {.usage = "kbsim import FILE [--json]", .examples = formats_text(), .positional = "file"});
  const json::object found = about(file);
  if (as_json) {
    std::cout << json::serialize(found) << '\n';
    return ExitCode::ok;
  }
  fmt::print(" {}: {}\n", file, found.at("format").as_string().c_str());
  for (const auto& member : found) {
    if (member.key() != "format")
      fmt::print("   {:<20} {}\n", std::string{member.key()}, json::serialize(member.value()));
  }
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

}  // namespace kbsim::app
