#include "fake_catalog.hpp"

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/time.hpp"

using namespace kbsim;

namespace {

struct HostSpec {
  static void describe(FieldList<HostSpec>&) {}
};

template <int ns>
struct OverheadSpec {
  Time overhead = Time{ns * 1000};
  static void describe(FieldList<OverheadSpec>& f) {
    f.add("overhead_ns", &OverheadSpec::overhead, kNotNegative, "delay of what passes");
  }
};

struct HbmSpec {
  double efficiency = 0.8;
  Time access = 30_ns;
  static void describe(FieldList<HbmSpec>& f) {
    f.add("efficiency", &HbmSpec::efficiency, Range{kPositive.min, 1.0}, "share of the raw bandwidth");
    f.add("access_ns", &HbmSpec::access, kNotNegative, "latency");
  }
};

struct SramSpec {
  Bandwidth bandwidth = Bandwidth::gbs(256.0);
  Time access = 4_ns;
  static void describe(FieldList<SramSpec>& f) {
    f.add("bw_gbs", &SramSpec::bandwidth, kPositive, "bandwidth");
    f.add("access_ns", &SramSpec::access, kNotNegative, "latency");
  }
};

struct CpuSpec {
  double freq_ghz = 1.0;
  int dispatch_cycles = 4;
  std::int64_t max_commands = 1'000'000;
  static void describe(FieldList<CpuSpec>& f) {
    f.add("freq_ghz", &CpuSpec::freq_ghz, kPositive, "clock");
    f.add("dispatch_cycles", &CpuSpec::dispatch_cycles, kNotNegative, "cost of a command");
    f.add("max_commands", &CpuSpec::max_commands, at_least(1), "of one kernel");
  }
};

struct SchedulerSpec {
  int m = 32;
  int k = 64;
  int n = 32;
  double fetch_gbs = 1024.0;
  double fetch_ns = 2.0;
  static void describe(FieldList<SchedulerSpec>& f) {
    f.add("tile_m", &SchedulerSpec::m, at_least(1), "rows of a tile");
    f.add("tile_k", &SchedulerSpec::k, at_least(1), "depth of a tile");
    f.add("tile_n", &SchedulerSpec::n, at_least(1), "columns of a tile");
    f.add("fetch_bw_gbs", &SchedulerSpec::fetch_gbs, kPositive, "TCM into the engine");
    f.add("fetch_ns", &SchedulerSpec::fetch_ns, kNotNegative, "latency of that");
  }
};

struct DmaSpec {
  int max_outstanding = 16;
  Bytes vc_chunk{256};
  Bytes request{4096};
  static void describe(FieldList<DmaSpec>& f) {
    f.add("max_outstanding", &DmaSpec::max_outstanding, at_least(1), "requests in flight");
    f.add("vc_chunk_size", &DmaSpec::vc_chunk, at_least(1), "bytes of one turn");
    f.add("request_bytes", &DmaSpec::request, at_least(1), "largest request");
  }
};

struct GemmSpec {
  double macs_per_ns = 4096;
  static void describe(FieldList<GemmSpec>& f) {
    f.add("macs_per_ns", &GemmSpec::macs_per_ns, kPositive, "rate");
  }
};

struct MathSpec {
  int lanes = 64;
  double freq_ghz = 1.0;
  Time startup = 4_ns;
  static void describe(FieldList<MathSpec>& f) {
    f.add("lanes", &MathSpec::lanes, at_least(1), "elements a cycle");
    f.add("freq_ghz", &MathSpec::freq_ghz, kPositive, "clock");
    f.add("startup_ns", &MathSpec::startup, kNotNegative, "cost of an operation");
  }
};

struct FakeTcmSpec {
  Bandwidth read = Bandwidth::gbs(512.0);
  Bandwidth write = Bandwidth::gbs(512.0);
  Time access = 1_ns;
  static void describe(FieldList<FakeTcmSpec>& f) {
    f.add("read_bw_gbs", &FakeTcmSpec::read, kPositive, "bandwidth of reads");
    f.add("write_bw_gbs", &FakeTcmSpec::write, kPositive, "bandwidth of writes");
    f.add("access_ns", &FakeTcmSpec::access, kNotNegative, "latency");
  }
};

}  // namespace

FakeCatalog::FakeCatalog()
    : models_{{"builtin.host", &fields_of<HostSpec>()},
              {"builtin.xy", &fields_of<HostSpec>()},
              {"builtin.switch", &fields_of<OverheadSpec<5>>()},
              {"builtin.ucie", &fields_of<OverheadSpec<8>>()},
              {"builtin.pcie_ep", &fields_of<OverheadSpec<10>>()},
              {"builtin.io_cpu", &fields_of<OverheadSpec<10>>()},
              {"builtin.router", &fields_of<OverheadSpec<1>>()},
              {"builtin.m_cpu", &fields_of<OverheadSpec<10>>()},
              {"builtin.xbar", &fields_of<OverheadSpec<2>>()},
              {"builtin.hbm_ctrl", &fields_of<HbmSpec>()},
              {"builtin.sram", &fields_of<SramSpec>()},
              {"builtin.pe_cpu", &fields_of<CpuSpec>()},
              {"builtin.pe_scheduler", &fields_of<SchedulerSpec>()},
              {"builtin.pe_dma", &fields_of<DmaSpec>()},
              {"builtin.pe_gemm", &fields_of<GemmSpec>()},
              {"builtin.pe_math", &fields_of<MathSpec>()},
              {"builtin.pe_tcm", &fields_of<FakeTcmSpec>()},
              {"builtin.pe_mmu", &fields_of<OverheadSpec<1>>()},
              {"builtin.pe_ipcq", &fields_of<OverheadSpec<1>>()}} {}

const std::vector<Field>* FakeCatalog::fields(std::string_view impl) const {
  const auto it = models_.find(impl);
  return it == models_.end() ? nullptr : it->second;
}

bool FakeCatalog::has_kind(std::string_view impl) const { return impl != "builtin.xy"; }

std::vector<std::string> FakeCatalog::impls() const {
  std::vector<std::string> names;
  for (const auto& [name, fields] : models_) names.push_back(name);
  return names;
}
