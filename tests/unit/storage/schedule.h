// Schedules: threads that are held at a pause point (storage/pause_points.h) while others continue.
//
//   Actor w = starts([&] { ... }, PausePoint::kStamped);   // returns when it stands there
//   ...                                                     // what happens meanwhile
//   w.goes_on();                                            // returns when it has ended
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {

class Actor {
 public:
  Actor(std::function<void()> body, std::optional<PausePoint> point) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.point = point;
    s.thread = std::thread([&s, body = std::move(body)] {
      current() = &s;
      body();
      s.ended = true;
    });
    if (!point) return;
    while (!s.held && !s.ended) std::this_thread::yield();
    EXPECT_TRUE(s.held) << "it has not come by pause point " << static_cast<int>(*point);
  }
  ~Actor() {
    if (state_ != nullptr) goes_on();
  }
  Actor(Actor&&) = default;

  bool ended() const { return state_->ended; }
  void released() { state_->held = false; }
  // Again to be held, there, the next time that it comes by.
  void goes_on_to(PausePoint point) {
    State& s = *state_;
    s.point = point;
    s.held = false;
    while (!s.held && !s.ended) std::this_thread::yield();
    EXPECT_TRUE(s.held) << "it has not come by pause point " << static_cast<int>(point);
  }
  void goes_on() {
    released();
    ends();
  }
  void ends() {
    if (state_->thread.joinable()) state_->thread.join();
  }
  // By a thread that has come to a point: held if it is an actor's and to be held there.
  static void came_by(PausePoint point) {
    State* s = current();
    if (s == nullptr || s->point != point) return;
    s->point.reset();
    s->held = true;
    while (s->held) std::this_thread::yield();
  }

 private:
  struct State {
    std::optional<PausePoint> point;  // the thread's, but while it is held
    std::atomic<bool> held{false}, ended{false};
    std::thread thread;
  };
  static State*& current() {
    static thread_local State* state = nullptr;
    return state;
  }
  std::unique_ptr<State> state_;
};

class ScheduleFixture : public StoreFixture, private PausePoints {
 protected:
  explicit ScheduleFixture(uint32_t leaf_bytes = 1024, const StoreOptions& options = {})
      : StoreFixture(leaf_bytes, options) {
    impl().set_pause_points(this);
  }
  // The table and its indexes go later, and come by pause points then: nobody is at one any more.
  ~ScheduleFixture() override {
    impl().reclaimer().stop();
    impl().index_service().stop();
    impl().set_pause_points(nullptr);
  }

  StoreImpl& impl() { return static_cast<StoreImpl&>(*store); }
  static Actor starts(std::function<void()> body, std::optional<PausePoint> point = {}) {
    return {std::move(body), point};
  }
  // How often anyone has come by.
  int reached_count(PausePoint point) const { return counts_[static_cast<size_t>(point)]; }
  // Returns once the body waits for a record or a lock.
  Actor waits(std::function<void()> body) {
    const size_t before = waiting();
    Actor actor(std::move(body), {});
    while (waiting() == before && !actor.ended()) std::this_thread::yield();
    return actor;
  }
  size_t waiting() {
    size_t n = 0;
    for (const LockInfo& info : store->locks().snapshot()) n += info.granted ? 0 : 1;
    return n;
  }

 private:
  void reached(PausePoint point) override {
    counts_[static_cast<size_t>(point)]++;
    Actor::came_by(point);
  }
  std::array<std::atomic<int>, kPausePoints> counts_{};
};

}  // namespace indigo::storage
