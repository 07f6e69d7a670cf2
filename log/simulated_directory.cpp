#include "log/simulated_directory.h"

#include <algorithm>
#include <cstring>

#include "log/file_error.h"
#include "log/format.h"

namespace indigo::log {

struct SimulatedDirectory::Node {
  // A write in flight, within one cacheline.
  struct Write {
    std::thread::id thread;
    uint64_t offset;
    std::string bytes;
  };
  using Block = std::unique_ptr<char[]>;

  // A device's blocks do not move; a file is one string.
  bool device = false;
  uint32_t block_bytes = 0;
  std::vector<Block> blocks, durable_blocks;
  std::vector<Write> in_flight;
  std::string bytes;
  size_t durable_bytes = 0;

  void apply(const Write& w) {
    std::memcpy(durable_blocks[w.offset / block_bytes].get() + w.offset % block_bytes, w.bytes.data(), w.bytes.size());
  }
  uint64_t size() const { return device ? uint64_t{block_bytes} * blocks.size() : bytes.size(); }
  Block zeroed() const {
    auto block = std::make_unique<char[]>(block_bytes);
    std::memset(block.get(), 0, block_bytes);
    return block;
  }
};

class SimulatedDevice final : public Device {
 public:
  using Node = SimulatedDirectory::Node;
  SimulatedDevice(SimulatedDirectory& directory, std::shared_ptr<Node> node)
      : directory_(directory), node_(std::move(node)) {}

  Granularity granularity() const override { return directory_.granularity_; }
  uint32_t block_count() const override {
    std::lock_guard lock(directory_.mutex_);
    return static_cast<uint32_t>(node_->blocks.size());
  }
  char* block(uint32_t index) override {
    std::lock_guard lock(directory_.mutex_);
    return node_->blocks[index].get();
  }
  Status grow() override {
    std::lock_guard lock(directory_.mutex_);
    if (directory_.used_ + node_->block_bytes > directory_.capacity_) {
      return file_error("simulated", "could not extend", ENOSPC);
    }
    INDIGO_TRY(directory_.take_space(node_->block_bytes));
    directory_.used_ += node_->block_bytes;
    node_->blocks.push_back(node_->zeroed());
    node_->durable_blocks.push_back(node_->zeroed());
    return {};
  }
  void write(char* to, const void* from, size_t size) override {
    std::lock_guard lock(directory_.mutex_);
    std::memcpy(to, from, size);
    uint64_t offset = offset_of(to);
    const char* p = static_cast<const char*>(from);
    while (size > 0) {
      size_t n = std::min<size_t>(size, kLine - offset % kLine);
      node_->in_flight.push_back({std::this_thread::get_id(), offset, std::string(p, n)});
      offset += n;
      p += n;
      size -= n;
    }
  }
  void fence() override {
    if (granularity() != Granularity::kCacheLine) return;
    std::lock_guard lock(directory_.mutex_);
    if (!directory_.persist_point().ok()) return;
    if (!directory_.omit_fences) flush_own();
  }
  void rewrite(char* at, size_t size) override { write(at, std::string(at, size).data(), size); }
  Status sync() override {
    std::lock_guard lock(directory_.mutex_);
    INDIGO_TRY(reach_device());
    if (granularity() == Granularity::kCacheLine) {
      flush_own();
    } else if (!directory_.omit_syncs) {
      flush_all();
    }
    return {};
  }
  Status sync_all() override {
    std::lock_guard lock(directory_.mutex_);
    INDIGO_TRY(reach_device());
    flush_all();
    return {};
  }

 private:
  // A sync that fails forgets what it should have written: it is seen as before, and no later sync writes it.
  Status reach_device() {
    Status status = directory_.persist_point();
    if (!status.ok() && granularity() == Granularity::kPage) node_->in_flight.clear();
    return status;
  }
  uint64_t offset_of(const char* at) const {
    for (size_t i = 0; i < node_->blocks.size(); i++) {
      const char* begin = node_->blocks[i].get();
      if (at >= begin && at < begin + node_->block_bytes) {
        return i * node_->block_bytes + static_cast<uint64_t>(at - begin);
      }
    }
    return 0;
  }
  void flush_all() {
    for (const auto& w : node_->in_flight) node_->apply(w);
    node_->in_flight.clear();
  }
  void flush_own() {
    std::erase_if(node_->in_flight, [&](const Node::Write& w) {
      if (w.thread != std::this_thread::get_id()) return false;
      node_->apply(w);
      return true;
    });
  }

  SimulatedDirectory& directory_;
  std::shared_ptr<Node> node_;
};

class SimulatedOutput final : public OutputFile {
 public:
  SimulatedOutput(SimulatedDirectory& directory, std::shared_ptr<SimulatedDirectory::Node> node)
      : directory_(directory), node_(std::move(node)) {}
  Status append(Bytes bytes) override {
    std::lock_guard lock(directory_.mutex_);
    INDIGO_TRY(directory_.take_space(bytes.size()));
    node_->bytes.append(bytes);
    return {};
  }
  Status sync() override {
    std::lock_guard lock(directory_.mutex_);
    INDIGO_TRY(directory_.persist_point());
    node_->durable_bytes = node_->bytes.size();
    return {};
  }

 private:
  SimulatedDirectory& directory_;
  std::shared_ptr<SimulatedDirectory::Node> node_;
};

namespace {

class SimulatedInput final : public InputFile {
 public:
  explicit SimulatedInput(std::string bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, char* to, size_t size) override {
    if (offset + size > bytes_.size()) return Error(sqlstate::kIoError, "the file ends early");
    std::memcpy(to, bytes_.data() + offset, size);
    return {};
  }

 private:
  std::string bytes_;
};

}  // namespace

SimulatedDirectory::SimulatedDirectory(Granularity granularity, uint64_t seed)
    : granularity_(granularity), random_(seed) {}

SimulatedDirectory::~SimulatedDirectory() = default;

// ---- crashes

Status SimulatedDirectory::persist_point() {
  point_++;
  const Fault fault = crash_when_ ? crash_when_(point_) : Fault::kNone;
  if (fault != Fault::kNone) crashed_.push_back(copy(fault == Fault::kCrash));
  if (point_ >= failing_point_) return Error(sqlstate::kIoError, "could not flush: injected failure");
  return {};
}

std::shared_ptr<SimulatedDirectory::Node> SimulatedDirectory::crash_copy(const Node& node, bool crash) {
  auto out = std::make_shared<Node>();
  out->device = node.device;
  out->block_bytes = node.block_bytes;
  if (!node.device) {
    size_t kept = node.bytes.size();
    if (crash) kept = node.durable_bytes + random_() % (node.bytes.size() - node.durable_bytes + 1);
    out->bytes = node.bytes.substr(0, kept);
    out->durable_bytes = crash ? kept : node.durable_bytes;
    return out;
  }
  for (size_t i = 0; i < node.blocks.size(); i++) {
    out->blocks.push_back(out->zeroed());
    out->durable_blocks.push_back(out->zeroed());
    std::memcpy(out->durable_blocks[i].get(), node.durable_blocks[i].get(), node.block_bytes);
    std::memcpy(out->blocks[i].get(), node.blocks[i].get(), node.block_bytes);
  }
  if (!crash) {
    out->in_flight = node.in_flight;
    for (auto& w : out->in_flight) w.thread = {};  // belongs to no thread now
  } else {
    std::map<uint64_t, bool> stopped;  // by cacheline: nothing later of it is kept
    for (const auto& w : node.in_flight) {
      bool& stop = stopped[w.offset / kLine];
      stop = stop || random_() % 2 == 0;
      if (!stop) out->apply(w);
    }
  }
  for (size_t i = 0; crash && i < out->blocks.size(); i++) {
    std::memcpy(out->blocks[i].get(), out->durable_blocks[i].get(), node.block_bytes);
  }
  return out;
}

std::unique_ptr<SimulatedDirectory> SimulatedDirectory::copy(bool crash) {
  auto out = std::make_unique<SimulatedDirectory>(granularity_, random_());
  Names names = crash ? durable_names_ : names_;
  if (crash) {
    size_t kept = random_() % (directory_changes_.size() + 1);
    for (size_t i = 0; i < kept; i++) directory_changes_[i](names);
  }
  for (const auto& [name, node] : names) out->names_[name] = crash_copy(*node, crash);
  out->durable_names_ = out->names_;
  return out;
}

void SimulatedDirectory::crash_at(uint64_t n, std::function<void()> moment) {
  crash_when([n, moment = std::move(moment)](uint64_t point) {
    if (point == n && moment) moment();
    return point == n ? Fault::kCrash : Fault::kNone;
  });
}

void SimulatedDirectory::crash_when(std::function<Fault(uint64_t point)> fault) {
  std::lock_guard lock(mutex_);
  crash_when_ = std::move(fault);
}

std::unique_ptr<SimulatedDirectory> SimulatedDirectory::take_crashed() {
  std::lock_guard lock(mutex_);
  if (crashed_.empty()) return nullptr;
  auto oldest = std::move(crashed_.front());
  crashed_.pop_front();
  return oldest;
}

std::unique_ptr<SimulatedDirectory> SimulatedDirectory::crash_now() {
  std::lock_guard lock(mutex_);
  return copy(true);
}

std::unique_ptr<SimulatedDirectory> SimulatedDirectory::process_killed() {
  std::lock_guard lock(mutex_);
  return copy(false);
}

uint64_t SimulatedDirectory::persist_points() const {
  std::lock_guard lock(mutex_);
  return point_;
}

std::string SimulatedDirectory::read_all(const std::string& name) {
  std::lock_guard lock(mutex_);
  const Node& node = *names_.at(name);
  if (!node.device) return node.bytes;
  std::string out;
  for (const auto& block : node.blocks) out.append(block.get(), node.block_bytes);
  return out;
}

void SimulatedDirectory::overwrite(const std::string& name, uint64_t offset, Bytes bytes) {
  std::lock_guard lock(mutex_);
  Node& node = *names_.at(name);
  for (char c : bytes) {
    if (node.device) {
      node.blocks[offset / node.block_bytes][offset % node.block_bytes] = c;
    } else {
      node.bytes[offset] = c;
    }
    offset++;
  }
}

// ---- Directory

Result<std::vector<std::string>> SimulatedDirectory::list() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, node] : names_) out.push_back(name);
  return out;
}

Result<std::unique_ptr<Device>> SimulatedDirectory::create_device(const std::string& name, uint32_t block_bytes) {
  std::lock_guard lock(mutex_);
  auto node = std::make_shared<Node>();
  node->device = true;
  node->block_bytes = block_bytes;
  names_[name] = node;
  directory_changes_.emplace_back([name, node](Names& names) { names[name] = node; });
  return std::unique_ptr<Device>(std::make_unique<SimulatedDevice>(*this, std::move(node)));
}

Result<std::unique_ptr<Device>> SimulatedDirectory::open_device(const std::string& name, uint32_t) {
  std::lock_guard lock(mutex_);
  auto at = names_.find(name);
  if (at == names_.end()) return file_error(path(name), "could not open", ENOENT);
  return std::unique_ptr<Device>(std::make_unique<SimulatedDevice>(*this, at->second));
}

Result<std::unique_ptr<OutputFile>> SimulatedDirectory::create_file(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto node = std::make_shared<Node>();
  names_[name] = node;
  directory_changes_.emplace_back([name, node](Names& names) { names[name] = node; });
  return std::unique_ptr<OutputFile>(std::make_unique<SimulatedOutput>(*this, std::move(node)));
}

Result<std::unique_ptr<InputFile>> SimulatedDirectory::open_file(const std::string& name) {
  {
    std::lock_guard lock(mutex_);
    if (!names_.contains(name)) return file_error(path(name), "could not open", ENOENT);
  }
  return std::unique_ptr<InputFile>(std::make_unique<SimulatedInput>(read_all(name)));
}

void SimulatedDirectory::free_space_of(const std::string& name) {
  const auto at = names_.find(name);
  if (at != names_.end()) total_used_ -= std::min(total_used_, at->second->size());
}

Status SimulatedDirectory::take_space(uint64_t bytes) {
  if (total_used_ + bytes > total_capacity_) return file_error("simulated", "could not write", ENOSPC);
  total_used_ += bytes;
  return {};
}

Status SimulatedDirectory::rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(mutex_);
  if (names_.contains(from)) free_space_of(to);
  auto change = [from, to](Names& names) {
    if (auto at = names.find(from); at != names.end()) {
      names[to] = at->second;
      names.erase(from);
    }
  };
  change(names_);
  directory_changes_.emplace_back(change);
  return {};
}

Status SimulatedDirectory::remove(const std::string& name) {
  std::lock_guard lock(mutex_);
  free_space_of(name);
  auto change = [name](Names& names) { names.erase(name); };
  change(names_);
  directory_changes_.emplace_back(change);
  return {};
}

Status SimulatedDirectory::sync() {
  std::lock_guard lock(mutex_);
  INDIGO_TRY(persist_point());
  durable_names_ = names_;
  directory_changes_.clear();
  return {};
}

}  // namespace indigo::log
