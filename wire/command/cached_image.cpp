#include "wire/command/cached_image.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <absl/strings/escaping.h>

#include "base/sqlstate.h"
#include "base/version.h"
#include "engine/auth/digest.h"
#include "log/file_error.h"

namespace indigo::wire {

namespace fs = std::filesystem;

namespace {

Error not_possible(const std::string& what, const std::string& path, const std::error_code& why) {
  return Error(sqlstate::kIoError, what + " \"" + path + "\": " + why.message());
}

}  // namespace

Result<CachedImage> CachedImage::of(const std::string& directory, const std::vector<std::string>& files,
                                    const std::string& locale) {
  std::ostringstream all;
  all << kVersion << locale;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return Error(sqlstate::kIoError, "could not read \"" + file + "\"");
    std::ostringstream text;
    text << in.rdbuf();
    all << '\n' << file << ' ' << text.str().size() << '\n' << text.str();
  }
  const std::string key = absl::BytesToHexString(std::string(engine::auth::as_bytes(engine::auth::sha256(all.str()))));
  return CachedImage(fs::path(directory).lexically_normal().string(), key);
}

bool CachedImage::usable() const {
  std::ifstream in(directory_ + "/key");
  std::string found;
  return in >> found && found == key_;
}

bool CachedImage::has_file() const {
  std::error_code ignored;
  return fs::exists(file(), ignored);
}

Status CachedImage::begin() {
  making_ = directory_ + ".making-" + std::to_string(getpid());
  std::error_code failed;
  fs::remove_all(making_, failed);
  if (!fs::create_directories(making_, failed)) return not_possible("could not create", making_, failed);
  return {};
}

Status CachedImage::finish() {
  std::ofstream(making_ + "/key") << key_ << '\n';
  std::error_code failed, ignored;
  if (fs::exists(new_file(), ignored)) fs::remove_all(new_data(), ignored);
  const std::string old = making_ + "-old";
  fs::rename(directory_, old, failed);  // or there was none
  fs::rename(making_, directory_, failed);
  fs::remove_all(old, ignored);
  if (!failed) return {};
  give_up();
  if (usable()) return {};  // somebody else was faster, with the same
  return not_possible("could not make", directory_, failed);
}

void CachedImage::give_up() const {
  std::error_code ignored;
  fs::remove_all(making_, ignored);
}

}  // namespace indigo::wire
