#include "mpi_start.hpp"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kObject = "libkbsim_mpi.so";

bool by_mpirun() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr && std::atoi(size) > 1;
}

// The shared object's file: beside the built command, or where it is installed.
fs::path object() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& file : {folder / kObject, folder.parent_path() / "lib" / "kbsim" / kObject}) {
    if (fs::exists(file, error)) return file;
  }
  throw Unsupported{
      "mpirun: this kbsim has no libkbsim_mpi.so; install libopenmpi-dev and libboost-mpi1.81-dev, build it "
      "again and cmake --install it with --component mpi, or use --shard I/N"};
}

}  // namespace

std::unique_ptr<sweep::Ranks> started_ranks() {
  if (!by_mpirun()) return nullptr;
  const fs::path file = object();
  void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (loaded == nullptr) throw UsageError{fmt::format("mpirun: {}", dlerror())};
  const auto make = reinterpret_cast<sweep::Ranks* (*)()>(dlsym(loaded, "kbsim_mpi_ranks"));
  if (make == nullptr) throw UsageError{fmt::format("mpirun: {}: {}", file.string(), dlerror())};
  return std::unique_ptr<sweep::Ranks>{make()};
}

}  // namespace kbsim::app
