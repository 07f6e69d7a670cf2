// Backups beside checkpoints: which waits for which. What they hold is tests/durability/run's.
#include "engine/durability/backup.h"

#include <future>

#include <gtest/gtest.h>

#include "engine/durability/data_directory.h"
#include "log/simulated_directory.h"
#include "storage/store_options.h"

namespace indigo::engine {
namespace {

using log::SimulatedDirectory;

// A target that stops at its first step until it is released.
class Blocked {
 public:
  Backups::OpenDirectory opener() {
    return [this](const std::string&) -> Result<std::unique_ptr<log::Directory>> {
      auto directory = std::make_unique<SimulatedDirectory>(log::Granularity::kPage);
      directory->crash_when([this](uint64_t point) {
        if (point == 1) {
          reached_.set_value();
          released_.get_future().wait();
        }
        return SimulatedDirectory::Fault::kNone;
      });
      return std::unique_ptr<log::Directory>(std::move(directory));
    };
  }
  void wait_reached() { reached_.get_future().wait(); }
  void release() { released_.set_value(); }

 private:
  std::promise<void> reached_, released_;
};

TEST(Backups, ASlowTargetHoldsUpNeitherCheckpointsNorWhoCancels) {
  const log::Geometry geometry{.block_bytes = 64 << 10, .segment_bits = 8};
  auto data = DataDirectory::open({std::make_shared<SimulatedDirectory>(log::Granularity::kPage), geometry},
                                  log::Durability::kPower);
  storage::StoreOptions options;
  options.log = &data->log();
  auto store = storage::Store::create(options);
  InstanceOptions instance;
  instance.os_user = "me";
  auto catalog = data->load(*store, instance, 1);
  ASSERT_TRUE(catalog.ok());
  data->run(*store, **catalog, {});
  Blocked target;
  Backups backups({data->log(), *store, **catalog}, {}, target.opener());
  std::promise<Waiter*> waiter;
  auto made = std::async(std::launch::async, [&] {
    waiter.set_value(&Waiter::current());
    return backups.make("somewhere");
  });
  target.wait_reached();
  EXPECT_TRUE(data->checkpointer().checkpoint().ok());
  EXPECT_EQ(data->checkpointer().statistics().checkpoints, 1U);
  waiter.get_future().get()->interrupt(InterruptReason::kCancel);
  auto result = made.get();  // though the target still does not move
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().state.text(), "57014");
  EXPECT_EQ(backups.running(), 1U);
  target.release();
  backups.stop();
  EXPECT_EQ(backups.running(), 0U);
  auto refused = backups.make("somewhere");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().state.text(), "57P01");
  data->close();
}

}  // namespace
}  // namespace indigo::engine
