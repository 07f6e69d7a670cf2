#include "log/file_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/sqlstate.h"
#include "log/file_error.h"
#include "log/pmem2_device.h"

namespace indigo::log {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

class PlainOutput final : public OutputFile {
 public:
  PlainOutput(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      ssize_t n = ::write(fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return file_error(path_, "could not write", n == 0 ? ENOSPC : errno);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return {};
  }
  Status sync() override {
    if (fdatasync(fd_.get()) != 0) return file_error(path_, "could not flush", errno);
    // Who reads it back asks the disk. Advice: without it, the kernel's copy is read.
    (void)posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
    return {};
  }

 private:
  const std::string path_;
  Descriptor fd_;
};

class PlainInput final : public InputFile {
 public:
  PlainInput(std::string path, int fd, uint64_t size) : path_(std::move(path)), fd_(fd), size_(size) {}
  uint64_t size() const override { return size_; }
  Status read(uint64_t offset, char* to, size_t size) override {
    while (size > 0) {
      ssize_t n = pread(fd_.get(), to, size, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return file_error(path_, "could not read", errno);
      if (n == 0) return Error(sqlstate::kIoError, "file \"" + path_ + "\" ends early");
      to += n;
      offset += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
    return {};
  }

 private:
  const std::string path_;
  Descriptor fd_;
  const uint64_t size_;
};

class FileDirectory final : public Directory {
 public:
  FileDirectory(std::string path, int fd, int lock) : path_(std::move(path)), fd_(fd), lock_(lock) {}

  std::string path(const std::string& name) const override { return path_ + "/" + name; }

  Result<std::vector<std::string>> list() override {
    std::vector<std::string> names;
    DIR* dir = opendir(path_.c_str());
    if (dir == nullptr) return file_error(path_, "could not read", errno);
    while (const dirent* entry = readdir(dir)) {
      std::string name = entry->d_name;
      if (name != "." && name != ".." && name != kLockName) names.push_back(std::move(name));
    }
    closedir(dir);
    std::sort(names.begin(), names.end());
    return names;
  }
  Result<std::unique_ptr<Device>> create_device(const std::string& name, uint32_t block_bytes) override {
    return open_pmem2_device(path(name), block_bytes, true);
  }
  Result<std::unique_ptr<Device>> open_device(const std::string& name, uint32_t block_bytes) override {
    return open_pmem2_device(path(name), block_bytes, false);
  }
  Result<std::unique_ptr<OutputFile>> create_file(const std::string& name) override {
    int fd = open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return file_error(path(name), "could not create", errno);
    return std::unique_ptr<OutputFile>(std::make_unique<PlainOutput>(path(name), fd));
  }
  Result<std::unique_ptr<InputFile>> open_file(const std::string& name) override {
    int fd = open(path(name).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file_error(path(name), "could not open", errno);
    struct stat s {};
    int failed = fstat(fd, &s);
    auto file = std::make_unique<PlainInput>(path(name), fd, static_cast<uint64_t>(s.st_size));
    if (failed != 0) return file_error(path(name), "could not examine", errno);
    return std::unique_ptr<InputFile>(std::move(file));
  }
  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(path(from).c_str(), path(to).c_str()) != 0) return file_error(path(from), "could not rename", errno);
    return {};
  }
  Status remove(const std::string& name) override {
    if (unlink(path(name).c_str()) != 0) return file_error(path(name), "could not remove", errno);
    return {};
  }
  Status sync() override {
    if (fsync(fd_.get()) != 0) return file_error(path_, "could not flush", errno);
    return {};
  }

 private:
  const std::string path_;
  Descriptor fd_, lock_;
};

}  // namespace

Result<std::unique_ptr<Directory>> open_file_directory(const std::string& path, DirectoryUse use) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return file_error(path, "could not create", errno);
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_error(path, "could not open", errno);
  struct stat owner {};
  if (fstat(fd, &owner) != 0 || owner.st_uid != geteuid()) {
    close(fd);
    return Error(sqlstate::kObjectNotInPrerequisiteState, "data directory \"" + path + "\" has wrong ownership")
        .with_hint("The server must be started by the user that owns the data directory.");
  }
  std::string lock_path = path + "/" + kLockName;
  int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    Error error = file_error(lock_path, "could not open", errno);
    close(fd);
    return error;
  }
  auto directory = std::make_unique<FileDirectory>(path, fd, lock);
  if (flock(lock, (use == DirectoryUse::kRead ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    return Error(sqlstate::kObjectInUse, "the data directory \"" + path + "\" is in use by another process");
  }
  return std::unique_ptr<Directory>(std::move(directory));
}

}  // namespace indigo::log
