// Many writers whose every snapshot can be compared with maps, exactly: each writer, a lane, has keys of its own (their last
// letter is its name), and numbers its transactions in a record of its own. A snapshot that shows transaction n of a lane must
// show what the lane had after it, no more and no less; and n is not smaller than what was acknowledged before the snapshot.
//
// Thread safety: all functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace indigo::storage {

using Rows = std::map<std::string, std::string>;

class Lane {
 public:
  explicit Lane(char name) : name_(name) { states_.push_back(std::make_shared<Rows>()); }

  char name() const { return name_; }
  std::string number_key() const { return std::string("00000100#") + name_; }
  // The number of a snapshot's last transaction of this lane.
  uint64_t number_in(const Rows& rows) const {
    auto it = rows.find(number_key());
    return it == rows.end() ? 0 : std::stoull(it->second);
  }
  // Before it commits, so that a reader that sees it finds it here; withdrawn if it does not commit.
  void propose(const Rows& rows) {
    std::lock_guard lock(mutex_);
    states_.push_back(std::make_shared<Rows>(rows));
  }
  void withdraw() {
    std::lock_guard lock(mutex_);
    states_.pop_back();
  }
  void acknowledge() { acknowledged_.fetch_add(1); }
  uint64_t acknowledged() const { return acknowledged_.load(); }
  // What it had after transaction n; null if there is none.
  std::shared_ptr<const Rows> after(uint64_t n) const {
    std::lock_guard lock(mutex_);
    return n < states_.size() ? states_[n] : nullptr;
  }

 private:
  const char name_;
  std::atomic<uint64_t> acknowledged_{0};
  mutable std::mutex mutex_;  // guards states_
  std::vector<std::shared_ptr<const Rows>> states_;
};

class Lanes {
 public:
  using Least = std::vector<uint64_t>;

  explicit Lanes(size_t n) {
    for (size_t i = 0; i < n; i++) lanes_.push_back(std::make_unique<Lane>(static_cast<char>('A' + i)));
  }
  size_t size() const { return lanes_.size(); }
  Lane& operator[](size_t i) const { return *lanes_[i]; }

  // What every snapshot from now on must show, at least.
  Least acknowledged() const {
    Least least;
    for (const auto& lane : lanes_) least.push_back(lane->acknowledged());
    return least;
  }
  // What is wrong with a snapshot of everything; empty when nothing is. `mine` and its rows: the lane whose transaction looks.
  std::string judge(const Rows& rows, const Least& least, const Lane* mine = nullptr, const Rows* own = nullptr) const {
    std::vector<Rows> parts(lanes_.size());
    for (const auto& [key, row] : rows) parts[static_cast<size_t>(key.back() - 'A')][key] = row;
    for (size_t i = 0; i < lanes_.size(); i++) {
      const Lane& lane = *lanes_[i];
      if (&lane == mine) {
        if (parts[i] != *own) return who(lane) + " does not see its own: " + difference(parts[i], *own);
        continue;
      }
      const uint64_t n = lane.number_in(parts[i]);
      if (n < least[i]) return who(lane) + " is at " + std::to_string(n) + ", not yet at " + std::to_string(least[i]);
      auto state = lane.after(n);
      if (state == nullptr) return who(lane) + " is at " + std::to_string(n) + ", which never was";
      if (parts[i] != *state) return who(lane) + " at " + std::to_string(n) + ": " + difference(parts[i], *state);
    }
    return {};
  }

 private:
  static std::string who(const Lane& lane) { return std::string("lane ") + lane.name(); }
  static std::string difference(const Rows& found, const Rows& expected) {
    std::string text;
    for (const auto& [key, row] : expected) {
      auto it = found.find(key);
      if (it == found.end()) text += key + " is missing (" + row + "); ";
      if (it != found.end() && it->second != row) text += key + " has " + it->second + ", not " + row + "; ";
    }
    for (const auto& [key, row] : found) {
      if (!expected.contains(key)) text += key + " is there (" + row + "); ";
    }
    return text;
  }

  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace indigo::storage
