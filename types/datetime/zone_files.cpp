#include "types/datetime/zone_files.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>

#include <absl/time/internal/cctz/include/cctz/zone_info_source.h>

#include "types/text/ascii.h"

// Of cmake/zones.cmake, in executables that carry zones: their number, then by ascending names where each name and file lies.
extern "C" {
struct IndigoZone {
  uint32_t name, name_size, data, data_size;  // bytes from indigo_zone_table on
};
extern const uint32_t indigo_zone_count __attribute__((weak));
extern const IndigoZone indigo_zone_table[] __attribute__((weak));
}

namespace indigo::types {

namespace {

constexpr const char* kZoneFiles = "/usr/share/zoneinfo";

std::span<const IndigoZone> carried() {
  if (&indigo_zone_count == nullptr) return {};
  return {indigo_zone_table, indigo_zone_count};
}

std::string_view at(uint32_t begin, uint32_t size) {
  return {reinterpret_cast<const char*>(indigo_zone_table) + begin, size};
}

std::string_view name_of(const IndigoZone& zone) { return at(zone.name, zone.name_size); }

std::string spelled_as_files(std::string_view name) {
  std::filesystem::path directory = kZoneFiles;
  std::string out;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string wanted = to_lower(name.substr(begin, end - begin));
    std::string found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
      std::string file = entry.path().filename().string();
      if (to_lower(file) != wanted) continue;
      found = std::move(file);
      break;
    }
    if (found.empty()) return {};
    directory /= found;
    if (!out.empty()) out += '/';
    out += found;
    begin = end + 1;
  }
  return out;
}

void visit_files(const std::filesystem::path& folder, const std::string& prefix, int depth,
                 const std::function<void(const std::string&)>& visit) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    const bool excluded = depth == 0 && (file == "posix" || file == "right" || file == "localtime");
    if (excluded || file.empty() || file[0] < 'A' || file[0] > 'Z' || file.find('.') != std::string::npos) continue;
    if (entry.is_directory(ignored)) {
      if (depth < 3) visit_files(entry.path(), prefix + file + "/", depth + 1, visit);
    } else {
      visit(prefix + file);
    }
  }
}

namespace cctz = absl::time_internal::cctz;

class CarriedSource final : public cctz::ZoneInfoSource {
 public:
  explicit CarriedSource(std::string_view data) : data_(data) {}
  size_t Read(void* to, size_t size) override {
    size = std::min(size, data_.size());
    memcpy(to, data_.data(), size);
    data_.remove_prefix(size);
    return size;
  }
  int Skip(size_t offset) override {
    data_.remove_prefix(std::min(offset, data_.size()));
    return 0;
  }

 private:
  std::string_view data_;
};

std::unique_ptr<cctz::ZoneInfoSource> open_zone(
    const std::string& name,
    const std::function<std::unique_ptr<cctz::ZoneInfoSource>(const std::string& name)>& system) {
  if (auto source = system(name)) return source;
  const std::string_view data = carried_zone(name);
  return data.empty() ? nullptr : std::make_unique<CarriedSource>(data);
}

}  // namespace

std::string spelled_zone_name(std::string_view name) {
  std::string spelled = spelled_as_files(name);
  if (!spelled.empty()) return spelled;
  const std::string wanted = to_lower(name);
  for (const IndigoZone& zone : carried()) {
    if (to_lower(name_of(zone)) == wanted) return std::string(name_of(zone));
  }
  return {};
}

void visit_zone_names(const std::function<void(const std::string&)>& visit) {
  bool any = false;
  visit_files(kZoneFiles, "", 0, [&](const std::string& name) {
    any = true;
    visit(name);
  });
  if (any) return;
  for (const IndigoZone& zone : carried()) visit(std::string(name_of(zone)));
}

std::string_view carried_zone(std::string_view name) {
  const auto zones = carried();
  const auto found = std::lower_bound(zones.begin(), zones.end(), name,
                                      [](const IndigoZone& zone, std::string_view n) { return name_of(zone) < n; });
  if (found == zones.end() || name_of(*found) != name) return {};
  return at(found->data, found->data_size);
}

}  // namespace indigo::types

// Abseil asks this, in the place of its own weak one.
namespace absl {
ABSL_NAMESPACE_BEGIN
namespace time_internal::cctz_extension {
ZoneInfoSourceFactory zone_info_source_factory = indigo::types::open_zone;
}  // namespace time_internal::cctz_extension
ABSL_NAMESPACE_END
}  // namespace absl
