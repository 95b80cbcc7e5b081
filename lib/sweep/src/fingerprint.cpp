#include "kbsim/sweep/fingerprint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLongestName = 1024;

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

// Among the notes of a segment: name size, descriptor size, type, and then both, each padded.
std::string build_id_in(std::span<const std::uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t name = sizeof header;
    const std::size_t descriptor = name + padded(header.n_namesz);
    if (descriptor + header.n_descsz > notes.size()) return {};
    if (header.n_type == NT_GNU_BUILD_ID) return hex(notes.subspan(descriptor, header.n_descsz));
    notes = notes.subspan(std::min(notes.size(), descriptor + padded(header.n_descsz)));
  }
  return {};
}

// The first object is the program itself.
int find_build_id(dl_phdr_info* object, std::size_t /*size*/, void* found) {
  for (const auto& segment : std::span{object->dlpi_phdr, object->dlpi_phnum}) {
    if (segment.p_type != PT_NOTE) continue;
    const auto* begin = reinterpret_cast<const std::uint8_t*>(object->dlpi_addr + segment.p_vaddr);
    std::string id = build_id_in({begin, segment.p_memsz});
    if (!id.empty()) *static_cast<std::string*>(found) = std::move(id);
  }
  return 1;
}

std::string of_file(const fs::path& file) { return fingerprint(read_input(file, file.string())); }

}  // namespace

std::string fingerprint(std::string_view text) {
  boost::uuids::name_generator_sha1 hash{boost::uuids::ns::oid()};
  const boost::uuids::uuid id = hash(text.data(), text.size());
  return hex({id.begin(), id.size()});
}

std::string program_fingerprint() {
  std::string id;
  (void)dl_iterate_phdr(find_build_id, &id);
  return id.empty() ? of_file("/proc/self/exe") : id;
}

Requests::Requests(std::vector<fs::path> folders, const std::vector<std::string>& always)
    : folders_{std::move(folders)}, program_{program_fingerprint()} {
  folders_.insert(folders_.begin(), "");
  for (const std::string& file : always) program_ += contents_of(file);
}

Requests::State Requests::state_of(const fs::path& file) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  struct stat now{};
  if (stat(file.c_str(), &now) != 0) return {.file = file};
  return {.file = file,
          .written_ns = now.st_mtim.tv_sec * kSecond + now.st_mtim.tv_nsec,
          .size = static_cast<std::uint64_t>(now.st_size),
          .inode = now.st_ino};
}

std::string Requests::changed() const {
  const auto other =
      std::ranges::find_if(states_, [](const State& state) { return state_of(state.file) != state; });
  return other == states_.end() ? "" : other->file.string();
}

const std::string& Requests::contents_of(const std::string& word) {
  const auto known = files_.find(word);
  if (known != files_.end()) return known->second;
  std::string contents;
  for (const fs::path& folder : folders_) {
    const fs::path file = folder / word;
    std::error_code error;
    if (word.size() > kLongestName || !fs::is_regular_file(file, error)) continue;
    states_.push_back(state_of(file));  // before it is read
    if (why_unreadable(file).empty()) contents = of_file(file);
    break;
  }
  return files_.emplace(word, contents).first->second;
}

std::string Requests::of(const std::vector<std::string>& words) {
  std::string all = program_;
  for (const std::string& word : words) {
    all += fmt::format("\n{}:{}", word.size(), word);
    if (!word.starts_with("--") && word.find('=') == std::string::npos) all += contents_of(word);
  }
  return fingerprint(all);
}

}  // namespace kbsim::sweep
