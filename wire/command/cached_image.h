// The directory of `indigo run --cache`: `key`, which says of what it was made, and `image`, the file that a server maps
// (engine/durability/mapped_image.h); where that could not be written `data`, a data directory that is only read.
// It is made beside its place and renamed there when it is whole: who comes meanwhile sees the old one, the new one or none.
// Thread safety: none; processes may use one directory at the same time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace indigo::wire {

class CachedImage {
 public:
  CachedImage() = default;
  // What `files` make in databases of that locale, by this version of the program. An error when one cannot be read.
  static Result<CachedImage> of(const std::string& directory, const std::vector<std::string>& files,
                                const std::string& locale);

  bool usable() const;  // it is there, and made of the same
  // One of these is there.
  std::string file() const { return directory_ + "/image"; }
  bool has_file() const;
  std::string data() const { return directory_ + "/data"; }

  Status begin();
  // What is made: a data directory first, then the file of it.
  std::string new_data() const { return making_ + "/data"; }
  std::string new_file() const { return making_ + "/image"; }
  // The directory goes if the file is there.
  Status finish();
  void give_up() const;

 private:
  CachedImage(std::string directory, std::string key) : directory_(std::move(directory)), key_(std::move(key)) {}

  std::string directory_, key_, making_;
};

}  // namespace indigo::wire
