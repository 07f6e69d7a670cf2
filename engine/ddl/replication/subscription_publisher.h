// What CREATE, ALTER and DROP SUBSCRIPTION ask of a publisher, while the session waits.
// Thread safety: belongs to the session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/subscription/published_table.h"
#include "engine/subscription/publisher.h"

namespace indigo::engine::ddl {

class SubscriptionPublisher {
 public:
  // 08006 "could not connect to the publisher: ...".
  static Result<SubscriptionPublisher> connect(const std::string& connection, const std::string& name);

  Result<std::vector<std::string>> missing_publications(const std::vector<std::string>& names);
  Result<std::vector<subscription::PublishedName>> published_names(const std::vector<std::string>& publications);
  // `two_phase`: one that decodes transactions when they are prepared.
  Status create_slot(const std::string& name, bool two_phase);
  Status drop_slot(const std::string& name);

 private:
  Status command(const std::string& text, const std::string& failed);

  subscription::StopEventPtr stop_;
  std::shared_ptr<subscription::Publisher> publisher_;
};

}  // namespace indigo::engine::ddl
