#include "log/data_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "log/file_error.h"

namespace indigo::log {

namespace {

constexpr absl::string_view kTitle = "Indigo data directory, format ";
constexpr absl::string_view kIdentifier = "system identifier ", kLayout = "catalog layout ",
                            kCollations = "collations ";
constexpr int kNewest = 2;
constexpr uint64_t kMostBytes = 4096;

Error malformed(Directory& directory) {
  return Error(sqlstate::kDataCorrupted, "file \"" + directory.path(kFormatName) + "\" is not that of a data directory")
      .with_hint("Restore the directory from a backup. Nothing has been changed.");
}

}  // namespace

Result<std::optional<DataFormat>> read_data_format(Directory& directory) {
  INDIGO_ASSIGN(const auto names, directory.list());
  if (std::find(names.begin(), names.end(), kFormatName) == names.end()) return std::optional<DataFormat>();
  INDIGO_ASSIGN(auto file, directory.open_file(kFormatName));
  if (file->size() > kMostBytes) return malformed(directory);
  std::string text(file->size(), '\0');
  INDIGO_TRY(file->read(0, text.data(), text.size()));
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  int version = 0;
  if (lines.empty() || !absl::StartsWith(lines[0], kTitle) ||
      !absl::SimpleAtoi(absl::StripPrefix(lines[0], kTitle), &version) || version < 1) {
    return malformed(directory);
  }
  if (version > kNewest) {
    return Error(sqlstate::kFeatureNotSupported, "data directory \"" + directory.path(".") + "\" has format " +
                                                     std::to_string(version) + ", this program reads formats 1 to " +
                                                     std::to_string(kNewest))
        .with_hint("Start it with the program that made it, or a newer one.");
  }
  DataFormat format;
  for (absl::string_view line : lines) {
    if (absl::ConsumePrefix(&line, kIdentifier)) {
      if (!absl::SimpleAtoi(line, &format.system_identifier)) return malformed(directory);
    } else if (absl::ConsumePrefix(&line, kLayout)) {
      format.catalog_layout = std::string(line);
    } else if (absl::ConsumePrefix(&line, kCollations)) {
      format.collations = std::string(line);
    }
  }
  return std::optional<DataFormat>(std::move(format));
}

Status write_data_format(Directory& directory, const DataFormat& format) {
  std::string text(kTitle);
  text += std::to_string(kNewest) + "\n";
  text += std::string(kIdentifier) + std::to_string(format.system_identifier) + "\n";
  if (!format.catalog_layout.empty()) text += std::string(kLayout) + format.catalog_layout + "\n";
  if (!format.collations.empty()) text += std::string(kCollations) + format.collations + "\n";
  const std::string temporary = std::string(kFormatName) + ".tmp";
  {
    INDIGO_ASSIGN(auto file, directory.create_file(temporary));
    INDIGO_TRY(file->append(text));
    INDIGO_TRY(file->sync());
  }
  INDIGO_TRY(directory.rename(temporary, kFormatName));
  return directory.sync();
}

}  // namespace indigo::log
