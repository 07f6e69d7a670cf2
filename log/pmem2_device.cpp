#include "log/pmem2_device.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include <libpmem2.h>

#include "base/sqlstate.h"
#include "base/static_process.h"
#include "log/file_error.h"
#include "log/mapping_faults.h"

namespace indigo::log {

namespace {

// The functions that are used, as loaded.
struct Library {
  decltype(&pmem2_config_new) config_new = nullptr;
  decltype(&pmem2_config_delete) config_delete = nullptr;
  decltype(&pmem2_config_set_required_store_granularity) set_granularity = nullptr;
  decltype(&pmem2_config_set_offset) set_offset = nullptr;
  decltype(&pmem2_config_set_length) set_length = nullptr;
  decltype(&pmem2_source_from_fd) source_from_fd = nullptr;
  decltype(&pmem2_source_delete) source_delete = nullptr;
  decltype(&pmem2_map_new) map_new = nullptr;
  decltype(&pmem2_map_delete) map_delete = nullptr;
  decltype(&pmem2_map_get_address) address = nullptr;
  decltype(&pmem2_map_get_store_granularity) granularity = nullptr;
  decltype(&pmem2_get_memcpy_fn) memcpy_fn = nullptr;
  decltype(&pmem2_get_drain_fn) drain_fn = nullptr;
  decltype(&pmem2_errormsg) errormsg = nullptr;
  std::string failure;
};

template <class F>
void load(void* handle, const char* name, F& function, std::string& failure) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (function == nullptr) failure = std::string("libpmem2 has no ") + name;
}

const Library& library() {
  static const Library loaded = [] {
    Library l;
    void* handle = dlopen("libpmem2.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      l.failure = dlerror();
      return l;
    }
    load(handle, "pmem2_config_new", l.config_new, l.failure);
    load(handle, "pmem2_config_delete", l.config_delete, l.failure);
    load(handle, "pmem2_config_set_required_store_granularity", l.set_granularity, l.failure);
    load(handle, "pmem2_config_set_offset", l.set_offset, l.failure);
    load(handle, "pmem2_config_set_length", l.set_length, l.failure);
    load(handle, "pmem2_source_from_fd", l.source_from_fd, l.failure);
    load(handle, "pmem2_source_delete", l.source_delete, l.failure);
    load(handle, "pmem2_map_new", l.map_new, l.failure);
    load(handle, "pmem2_map_delete", l.map_delete, l.failure);
    load(handle, "pmem2_map_get_address", l.address, l.failure);
    load(handle, "pmem2_map_get_store_granularity", l.granularity, l.failure);
    load(handle, "pmem2_get_memcpy_fn", l.memcpy_fn, l.failure);
    load(handle, "pmem2_get_drain_fn", l.drain_fn, l.failure);
    load(handle, "pmem2_errormsg", l.errormsg, l.failure);
    return l;
  }();
  return loaded;
}

class Pmem2Device final : public Device, private MappedFile {
 public:
  Pmem2Device(std::string path, int fd, uint32_t block_bytes)
      : path_(std::move(path)), fd_(fd), block_bytes_(block_bytes) {
    add_mapped_file(*this);
  }
  ~Pmem2Device() override {
    remove_mapped_file(*this);
    for (uint32_t i = 0; i < count_.load(); i++) {
      if (maps_[i].map != nullptr) {
        library().map_delete(&maps_[i].map);
      } else {
        munmap(maps_[i].address, block_bytes_);
      }
    }
    close(fd_);
  }

  Granularity granularity() const override { return granularity_; }
  uint32_t block_count() const override { return count_.load(std::memory_order_acquire); }  // pairs with map_block
  char* block(uint32_t index) override { return maps_[index].address; }

  Status open_all() {
    struct stat s {};
    if (fstat(fd_, &s) != 0) return file_error(path_, "could not examine", errno);
    auto blocks = static_cast<uint32_t>(static_cast<uint64_t>(s.st_size) / block_bytes_);
    while (block_count() < blocks) INDIGO_TRY(map_block());
    return {};
  }

  // Zeros are written, not only allocated: the file system then has nothing left to note when records come.
  Status grow() override {
    if (block_count() == kMaxBlocks) return Error(sqlstate::kDiskFull, "the log has its greatest size");
    static const std::string zeros(size_t{1} << 18, '\0');
    auto offset = static_cast<off_t>(uint64_t{block_count()} * block_bytes_);
    for (uint32_t done = 0; done < block_bytes_;) {
      size_t n = std::min<size_t>(zeros.size(), block_bytes_ - done);
      ssize_t written = pwrite(fd_, zeros.data(), n, offset + done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        Error error = file_error(path_, "could not extend", written == 0 ? ENOSPC : errno);
        if (ftruncate(fd_, offset) != 0) return error;  // the next attempt begins at the same offset in any case
        return error;
      }
      done += static_cast<uint32_t>(written);
    }
    if (fdatasync(fd_) != 0) return file_error(path_, "could not extend", errno);
    return map_block();
  }

  void write(char* to, const void* from, size_t size) override {
    if (granularity_ == Granularity::kPage) {
      std::memcpy(to, from, size);
    } else {
      memcpy_(to, from, size, PMEM2_F_MEM_NODRAIN | PMEM2_F_MEM_NONTEMPORAL);
    }
  }
  void fence() override {
    if (granularity_ == Granularity::kCacheLine) drain_();
  }
  bool faulted() const override { return faulted_.load(std::memory_order_relaxed); }
  Status sync() override {
    if (faulted()) return file_error(path_, "could not write", EIO);
    if (granularity_ == Granularity::kCacheLine) {
      drain_();
    } else if (fdatasync(fd_) != 0) {
      return file_error(path_, "could not flush", errno);
    }
    return {};
  }
  void rewrite(char* at, size_t size) override {
    if (granularity_ == Granularity::kCacheLine) {
      write(at, std::string(at, size).data(), size);
      return;
    }
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    for (char* p = at; p < at + size; p += page - reinterpret_cast<uintptr_t>(p) % page) {
      volatile char* const byte = p;  // a store marks the whole page
      *byte = *byte;
    }
  }
  // On DAX, too, the kernel knows which pages were mapped and written.
  Status sync_all() override {
    if (faulted()) return file_error(path_, "could not read", EIO);
    if (fdatasync(fd_) != 0) return file_error(path_, "could not flush", errno);
    return {};
  }

 private:
  static constexpr uint32_t kMaxBlocks = 65536;  // 1 TB
  bool contains(const char* address) const override {
    for (uint32_t i = 0; i < count_.load(std::memory_order_acquire); i++) {
      if (address >= maps_[i].address && address < maps_[i].address + block_bytes_) return true;
    }
    return false;
  }
  void note_fault() override { faulted_.store(true, std::memory_order_relaxed); }

  struct Mapped {
    pmem2_map* map = nullptr;
    char* address = nullptr;
  };

  // libpmem2 reserves addresses, maps the file over them with MAP_SYNC, and where that is refused maps it over them once more
  // without. But a refusal by ext4 or xfs comes after the kernel has given the addresses up (so mmap_region works): another
  // thread's mapping may lie there by then, and would be overwritten. So it gets only files that take MAP_SYNC, and those
  // that the environment variable declares to be persistent memory, for measurements.
  bool wants_libpmem2() {
    if (!wants_libpmem2_) {
      void* probe = mmap(nullptr, block_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd_, 0);
      wants_libpmem2_ = !is_static_process() &&  // which cannot load it, and flushes by fdatasync
                        (probe != MAP_FAILED || std::getenv("PMEM2_FORCE_GRANULARITY") != nullptr);
      if (probe != MAP_FAILED) munmap(probe, block_bytes_);
    }
    return *wants_libpmem2_;
  }

  Status map_block() {
    if (wants_libpmem2()) return map_by_libpmem2();
    const uint32_t index = block_count();
    const auto offset = static_cast<off_t>(uint64_t{index} * block_bytes_);
    void* address = mmap(nullptr, block_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, offset);
    if (address == MAP_FAILED) return file_error(path_, "could not map", errno);
    maps_[index].address = static_cast<char*>(address);
    count_.store(index + 1, std::memory_order_release);
    return {};
  }

  Status map_by_libpmem2() {
    const Library& l = library();
    if (!l.failure.empty()) {
      return Error(sqlstate::kIoError, "could not load libpmem2: " + l.failure)
          .with_hint("Install the package libpmem2-1.");
    }
    pmem2_config* config = nullptr;
    pmem2_source* source = nullptr;
    Mapped mapped;
    uint32_t index = block_count();
    bool ok = l.config_new(&config) == 0 && l.set_granularity(config, PMEM2_GRANULARITY_PAGE) == 0 &&
              l.set_offset(config, size_t{index} * block_bytes_) == 0 && l.set_length(config, block_bytes_) == 0 &&
              l.source_from_fd(&source, fd_) == 0 && l.map_new(&mapped.map, config, source) == 0;
    Error error(sqlstate::kIoError, "could not map \"" + path_ + "\": " + (ok ? "" : l.errormsg()));
    if (source != nullptr) l.source_delete(&source);
    if (config != nullptr) l.config_delete(&config);
    if (!ok) return error;
    mapped.address = static_cast<char*>(l.address(mapped.map));
    if (index == 0) {
      granularity_ = l.granularity(mapped.map) == PMEM2_GRANULARITY_PAGE ? Granularity::kPage : Granularity::kCacheLine;
      memcpy_ = l.memcpy_fn(mapped.map);
      drain_ = l.drain_fn(mapped.map);
    }
    // Its pages are there: writers need not fault them in one by one. Where the kernel cannot do it in advance, they do.
    if (granularity_ == Granularity::kCacheLine) (void)madvise(mapped.address, block_bytes_, MADV_POPULATE_WRITE);
    maps_[index] = mapped;
    count_.store(index + 1, std::memory_order_release);
    return {};
  }

  const std::string path_;
  const int fd_;
  const uint32_t block_bytes_;
  Granularity granularity_ = Granularity::kPage;
  pmem2_memcpy_fn memcpy_ = nullptr;
  pmem2_drain_fn drain_ = nullptr;
  std::optional<bool> wants_libpmem2_;  // the same for every block
  std::atomic<bool> faulted_{false};
  std::atomic<uint32_t> count_{0};
  std::unique_ptr<Mapped[]> maps_ = std::make_unique<Mapped[]>(kMaxBlocks);  // never moves: readers take no lock
};

}  // namespace

Result<std::unique_ptr<Device>> open_pmem2_device(const std::string& path, uint32_t block_bytes, bool create) {
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0600);
  if (fd < 0) return file_error(path, create ? "could not create" : "could not open", errno);
  // A new file soon has its name without the ending: errors name that.
  const std::string name = create && path.ends_with(".tmp") ? path.substr(0, path.size() - 4) : path;
  auto device = std::make_unique<Pmem2Device>(name, fd, block_bytes);
  INDIGO_TRY(device->open_all());
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace indigo::log
