#include "tests/crash/clones.h"

#include <cstdlib>

namespace indigo::crash {

namespace {

constexpr uint64_t kChangesOfOne = 3;

// The n-th change of a clone, in the first client's schema.
std::string change_text(uint64_t n) {
  const std::string k = std::to_string(n), first = std::to_string(1'000'000 + n * 100);
  return "begin; create table if not exists public.own (n int primary key); insert into public.own values (" + k +
         "); update c0.rows set v = v || '.' where id % 5 = " + k + "; delete from c0.rows where id % 7 = " + k +
         "; insert into c0.rows (id, v) select " + first + " + i, 'clone ' || i from generate_series(1, 20) i" +
         "; create index on c0.rows (id, x); commit";
}

uint64_t number(Client& client, const std::string& query) {
  return std::strtoull(client.ask(query).c_str(), nullptr, 10);
}

uint64_t changes_in(Client& client) {
  return client.ask("select to_regclass('public.own') is null") == "f" ? number(client, "select count(*) from own") : 0;
}

}  // namespace

std::string check_client(Client& client, const Script& script, uint64_t least, uint64_t& found,
                         const std::function<std::string(uint64_t found)>& expected) {
  const std::string schema = "c" + std::to_string(script.client());
  const std::string last = client.ask("select to_regclass('" + schema + ".last') is null");
  found = 0;
  if (last == "f") found = number(client, "select n from " + schema + ".last");
  // The first transaction makes `last` and sets it to 1.
  const std::string who = "client " + std::to_string(script.client()) + ": ";
  if (found < least) {
    return who + std::to_string(least) + " transactions were acknowledged, " + std::to_string(found) + " are there";
  }
  if (found > script.steps().size()) return who + "more transactions than there ever were";
  const std::string contents = script.contents(client), wanted = expected ? expected(found) : script.expected()[found];
  if (contents != wanted) {
    return who + "after " + std::to_string(found) + " transactions expected\n" + wanted + "\nfound\n" + contents +
           "\n(the last was " + (found == 0 ? "none" : script.steps()[found - 1].text) + ")";
  }
  if (found == 0) return "";
  const std::string fresh =
      client.ask("select nextval('" + schema + ".s') > (select coalesce(max(v), 0) from " + schema + ".numbered)");
  return fresh == "t" ? "" : who + "the sequence repeats itself: " + fresh;
}

std::string check_shared(Client& client, const std::deque<Script>& scripts, const ClientProgress& found) {
  const std::string gaps = client.ask(
      "select (select n from shared.counter) - count(*), count(*) - coalesce(max(n), 0), coalesce(min(n), 1) from "
      "shared.history");
  if (gaps != "0|0|1") return "the shared history has gaps: " + gaps;
  for (const Script& script : scripts) {
    const std::string id = std::to_string(script.client());
    const std::string steps = client.ask("select step from shared.history where client = " + id + " order by n");
    if (steps != script.shared_steps(found[script.client()])) {
      return "the shared history of client " + id + " has steps " + steps + " after " +
             std::to_string(found[script.client()]) + " transactions";
    }
  }
  return "";
}

std::string Clones::run(engine::Instance& instance, uint32_t count, const std::function<ClientProgress()>& progress) {
  for (uint32_t i = 0; i < count && count_ < kMost; i++) {
    if (std::string error = make(instance, progress); !error.empty()) return error;
  }
  return "";
}

// A clone of the clients' database, or of a clone; then it changes; then another one may go.
std::string Clones::make(engine::Instance& instance, const std::function<ClientProgress()>& progress) {
  const size_t clone = count_++;
  std::string source = "postgres";
  least_[clone] = progress();
  uint64_t changes = 0;
  if (const size_t other = random_() % (clone + 1); other < clone) {
    if (const uint64_t known = acknowledged_[other]; known != 0 && known != kGone) {
      source = name(other);
      least_[clone] = least_[other];
      changes = known - 1;
    }
  }
  Client client(instance);
  const std::string text = "create database " + name(clone) + " template " + source;
  if (std::string error = client.run(text); !error.empty()) return text + ": " + error;
  acknowledged_[clone] = 1 + changes;
  for (uint64_t n = random_() % (kChangesOfOne + 1); n > 0; n--) {
    if (std::string error = change(instance, clone); !error.empty()) return name(clone) + ": " + error;
  }
  return random_() % 4 == 0 ? drop(instance, random_() % count_) : "";
}

std::string Clones::change(engine::Instance& instance, size_t clone) {
  Client client(instance, name(clone));
  if (client.ask("select to_regclass('c0.last') is null") != "f") return "";  // cloned before there was anything
  const uint64_t changes = changes_in(client);
  std::string error = client.run("set synchronous_commit = on");
  if (error.empty()) error = client.run(change_text(changes + 1));
  if (error.empty()) acknowledged_[clone] = 2 + changes;
  return error;
}

std::string Clones::drop(engine::Instance& instance, size_t clone) {
  const uint64_t known = acknowledged_[clone];
  if (known == 0 || known == kGone) return "";
  acknowledged_[clone] = 0;
  std::string error = Client(instance).run("drop database " + name(clone));
  if (error.empty()) acknowledged_[clone] = kGone;
  return error;
}

std::string Clones::check(engine::Instance& instance, std::span<const uint64_t> least) {
  Client client(instance);
  for (size_t i = 0; i < count_; i++) {
    const bool there = client.ask("select count(*) from pg_database where datname = '" + name(i) + "'") == "1";
    if (!there && least[i] != 0 && least[i] != kGone) return name(i) + " is lost";
    if (there && least[i] == kGone) return name(i) + " is back";
    uint64_t changes = 0;
    if (there) {
      if (std::string error = check_one(instance, i, least[i], changes); !error.empty()) return name(i) + ": " + error;
    }
    acknowledged_[i] = there ? 1 + changes : least[i];  // what has been seen here is durable
  }
  return "";
}

std::string Clones::check_one(engine::Instance& instance, size_t clone, uint64_t least, uint64_t& changes) {
  Client client(instance, name(clone));
  changes = changes_in(client);
  if (changes + 1 < least)
    return std::to_string(least - 1) + " changes were acknowledged, not " + std::to_string(changes);
  ClientProgress found{};
  for (const Script& script : scripts_) {
    const uint32_t id = script.client();
    std::function<std::string(uint64_t)> expected;
    if (id == 0 && changes > 0) expected = [&](uint64_t steps) { return changed(steps, changes); };
    std::string error = check_client(client, script, least_[clone][id], found[id], expected);
    if (!error.empty()) return error;
  }
  if (client.ask("select to_regclass('shared.history') is null") == "f") return check_shared(client, scripts_, found);
  return least_[clone][kClientsMax] == 0 ? "" : "the shared tables are lost";
}

// The first client's schema after so many of its transactions and then so many changes, from a server in memory.
std::string Clones::changed(uint64_t steps, uint64_t changes) {
  std::string& text = changed_[{steps, changes}];
  if (!text.empty()) return text;
  auto instance = start({}, nullptr);
  if (!instance.ok()) return instance.error().message;
  Client client(**instance);
  std::string error = client.run(kSharedSetup);
  for (uint64_t i = 0; i < steps && error.empty(); i++) error = Script::run(client, scripts_[0].steps()[i]);
  for (uint64_t n = 1; n <= changes && error.empty(); n++) error = client.run(change_text(n));
  return text = error.empty() ? scripts_[0].contents(client) : error;
}

}  // namespace indigo::crash
