#include "engine/ddl/replication/subscription_publisher.h"

#include <utility>

#include "base/sqlstate.h"

namespace indigo::engine::ddl {

using subscription::Publisher;

Result<SubscriptionPublisher> SubscriptionPublisher::connect(const std::string& connection, const std::string& name) {
  SubscriptionPublisher out;
  out.stop_ = std::make_shared<subscription::StopEvent>();
  using Made = std::shared_ptr<Publisher>;
  auto made = subscription::aside<Made>(out.stop_, [connection, name, stop = out.stop_]() -> Result<Made> {
    INDIGO_ASSIGN(std::unique_ptr<Publisher> publisher, Publisher::connect(connection, name, stop));
    return Made(std::move(publisher));
  });
  if (!made.ok()) {
    if (made.error().state == sqlstate::kConnectionFailure)
      made.error().message = "could not connect to the publisher: " + made.error().message;
    return made.take_error();
  }
  out.publisher_ = *std::move(made);
  return out;
}

Result<std::vector<std::string>> SubscriptionPublisher::missing_publications(const std::vector<std::string>& names) {
  return subscription::aside<std::vector<std::string>>(
      stop_, [publisher = publisher_, names] { return subscription::missing_publications(*publisher, names); });
}

Result<std::vector<subscription::PublishedName>> SubscriptionPublisher::published_names(
    const std::vector<std::string>& publications) {
  return subscription::aside<std::vector<subscription::PublishedName>>(stop_, [publisher = publisher_, publications] {
    return subscription::published_names(*publisher, publications);
  });
}

Status SubscriptionPublisher::command(const std::string& text, const std::string& failed) {
  auto done = subscription::aside<bool>(stop_, [publisher = publisher_, text]() -> Result<bool> {
    INDIGO_TRY(publisher->tell(text));
    return true;
  });
  if (done.ok()) return {};
  if (done.error().message.starts_with("ERROR:")) done.error().message = failed + ": " + done.error().message;
  return done.take_error();
}

Status SubscriptionPublisher::create_slot(const std::string& name, bool two_phase) {
  const bool new_syntax = publisher_->server_version() >= 150000;
  const std::string options = new_syntax ? "SNAPSHOT 'nothing'" : "NOEXPORT_SNAPSHOT";
  const std::string all = two_phase ? std::string("TWO_PHASE") + (new_syntax ? ", " : " ") + options : options;
  return command("CREATE_REPLICATION_SLOT \"" + name + "\" LOGICAL pgoutput " + (new_syntax ? "(" + all + ")" : all),
                 "could not create replication slot \"" + name + "\"");
}

Status SubscriptionPublisher::drop_slot(const std::string& name) {
  return command("DROP_REPLICATION_SLOT \"" + name + "\" WAIT",
                 "could not drop replication slot \"" + name + "\" on publisher");
}

}  // namespace indigo::engine::ddl
