#include "engine/notify/notification_hub.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "engine/notify/session_notifications.h"

namespace indigo::engine {
namespace {

std::vector<std::string> drain(SessionNotifications& session) {
  std::vector<std::string> out;
  SessionNotifications::Delivery delivery;
  while (session.next(delivery)) out.push_back(std::string(delivery.channel) + ":" + std::string(delivery.payload));
  return out;
}

void commit(SessionNotifications& session) {
  ASSERT_TRUE(session.before_commit().ok());
  session.after_commit();
}

TEST(NotificationHub, WhatIsRolledBackToASavepointIsNotSent) {
  NotificationHub hub;
  SessionNotifications listener(hub, 1, Waiter::current(), 1), sender(hub, 1, Waiter::current(), 2);
  listener.listen("a");
  commit(listener);
  ASSERT_TRUE(sender.notify("a", "1").ok());
  const auto mark = sender.mark();
  ASSERT_TRUE(sender.notify("a", "2").ok());
  ASSERT_TRUE(sender.notify("a", "1").ok());
  sender.rollback_to(mark);
  ASSERT_TRUE(sender.notify("a", "3").ok());
  ASSERT_TRUE(sender.notify("a", "2").ok());
  EXPECT_TRUE(drain(listener).empty());
  commit(sender);
  EXPECT_EQ(drain(listener), (std::vector<std::string>{"a:1", "a:3", "a:2"}));
  EXPECT_FALSE(sender.used());
}

TEST(NotificationHub, DatabasesAndChannelsAreKeptApart) {
  NotificationHub hub;
  SessionNotifications here(hub, 1, Waiter::current(), 1), there(hub, 2, Waiter::current(), 2);
  for (auto* session : {&here, &there}) {
    session->listen("a");
    commit(*session);
  }
  ASSERT_TRUE(here.notify("a", "x").ok());
  ASSERT_TRUE(here.notify("b", "x").ok());
  commit(here);
  EXPECT_EQ(drain(here), std::vector<std::string>{"a:x"});
  EXPECT_TRUE(drain(there).empty());
  EXPECT_EQ(hub.usage(), 0);
}

TEST(NotificationHub, AFullQueueRefusesTheNextTransactionAndGivesTheTurnBack) {
  NotificationHub hub(2000);
  SessionNotifications listener(hub, 1, Waiter::current(), 1), sender(hub, 1, Waiter::current(), 2);
  listener.listen("a");
  commit(listener);
  const std::string payload(1200, 'x');
  ASSERT_TRUE(sender.notify("a", payload).ok());
  commit(sender);
  EXPECT_GT(hub.usage(), 0.6);
  ASSERT_TRUE(sender.notify("a", payload).ok());
  const Status refused = sender.before_commit();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "too many notifications in the NOTIFY queue");
  sender.forget();
  EXPECT_EQ(drain(listener).size(), 1u);
  ASSERT_TRUE(sender.notify("a", payload).ok());
  commit(sender);
  EXPECT_EQ(drain(listener).size(), 1u);
  EXPECT_EQ(hub.usage(), 0);
  ASSERT_TRUE(sender.notify("a", payload).ok());
  EXPECT_FALSE(sender.notify("b", payload).ok());  // more than there will ever be room for
}

// The order of commits, here that of a counter raised by the holder of the turn, is the order in which they arrive.
TEST(NotificationHub, BatchesArriveInTheOrderOfCommits) {
  NotificationHub hub;
  SessionNotifications listener(hub, 1, Waiter::current(), 1);
  listener.listen("a");
  commit(listener);
  constexpr int kThreads = 4, kEach = 200;
  int commits = 0;  // guarded by the turn
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; i++) {
        NotificationBatch batch;
        batch.notifications.push_back({"a", ""});
        ASSERT_TRUE(hub.take_turn(batch).ok());
        batch.notifications[0].payload = std::to_string(commits++);
        hub.publish(1, std::make_shared<const NotificationBatch>(batch));
        hub.give_turn();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> heard = drain(listener);
  ASSERT_EQ(heard.size(), size_t{kThreads} * kEach);
  for (size_t i = 0; i < heard.size(); i++) EXPECT_EQ(heard[i], "a:" + std::to_string(i));
}

// Quadratic in them this takes minutes.
TEST(NotificationHub, ManyChannelsInTheOrderOfListen) {
  constexpr int kChannels = 200000;
  NotificationHub hub;
  SessionNotifications listener(hub, 1, Waiter::current(), 1), sender(hub, 1, Waiter::current(), 2);
  for (int i = 0; i < kChannels; i++) listener.listen("c" + std::to_string(i));
  commit(listener);
  for (int i = 1; i < kChannels; i += 2) listener.unlisten("c" + std::to_string(i));
  listener.listen("c0");
  commit(listener);
  ASSERT_EQ(listener.channels().size(), kChannels / 2);
  EXPECT_EQ(listener.channels().front(), "c0");
  EXPECT_EQ(listener.channels().back(), "c" + std::to_string(kChannels - 2));
  for (int i = 0; i < kChannels; i++) ASSERT_TRUE(sender.notify("c" + std::to_string(i), "x").ok());
  commit(sender);
  EXPECT_EQ(drain(listener).size(), kChannels / 2);
  listener.unlisten_all();
  commit(listener);
  EXPECT_TRUE(listener.channels().empty());
}

}  // namespace
}  // namespace indigo::engine
