#include "tests/allocations/served.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "base/sqlstate.h"
#include "tests/allocations/failing_memory.h"
#include "tests/unit/wire/test_client.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/server.h"

namespace indigo::allocations {

namespace {

using wire::TestClient;

// A short name: socket paths have to fit into sockaddr_un.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/indigo-test-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  ~Folder() { rmdir(path_.c_str()); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Dialogue {
  const char* name;
  std::function<std::string(TestClient& client)> talk;  // what came back, in words
  bool connecting = false;                              // memory is refused from the connection on
};

std::string sync(TestClient& client) {
  client.send(std::string("S\0\0\0\4", 5));
  return client.dialogue();
}

std::string ask(TestClient& client, const std::string& text) {
  client.query(text);
  return client.dialogue();
}

const std::vector<Dialogue>& dialogues() {
  static const std::vector<Dialogue> all = {
      {"connect", [](TestClient& c) { return c.start(); }, true},
      {"query", [](TestClient& c) { return ask(c, "select a, b from t order by b"); }},
      {"changes", [](TestClient& c) { return ask(c, "begin; insert into t values (0, 'new'); rollback"); }},
      {"error", [](TestClient& c) { return ask(c, "select 1 / 0"); }},
      {"notice", [](TestClient& c) { return ask(c, "drop table if exists nothing"); }},
      {"large message", [](TestClient& c) { return ask(c, "select length('" + std::string(300'000, 'x') + "')"); }},
      {"large answer", [](TestClient& c) { return ask(c, "select repeat('y', 20000) from t"); }},
      {"extended",
       [](TestClient& c) {
         c.extended("select a, b from t where a < 5");
         return sync(c);
       }},
      {"extended, in part",
       [](TestClient& c) {
         c.extended("select a, b from t", 3);
         return sync(c);
       }},
      {"copy in",
       [](TestClient& c) {
         c.query("copy passing from stdin");
         std::string words = c.next();
         if (words != "G") return words + " " + (words == "closed" ? "" : c.dialogue());
         wire::CopyData data;
         data.bytes = "1\tx\n2\ty\n";
         c.send_message(data);
         c.send_message(wire::CopyDone());
         return c.dialogue();
       }},
      {"copy out", [](TestClient& c) { return ask(c, "copy t to stdout"); }},
      {"notification", [](TestClient& c) { return ask(c, "listen here; notify here, 'x'"); }},
      {"a session's end",
       [](TestClient& c) {
         c.send(std::string("X\0\0\0\4", 5));
         return c.next();
       }},
  };
  return all;
}

class Served {
 public:
  explicit Served(Outcome& outcome) : outcome_(outcome) {
    if (const Status status = start(); !status.ok()) outcome_.error = status.error().message;
  }

  void run(const Dialogue& dialogue, const Options& options) {
    bool refused = true;
    for (int64_t n = 0; refused && outcome_.error.empty(); n = next_request(n, options)) {
      TestClient client(path());
      if (!dialogue.connecting) client.start();
      refuse(n, options.all, Whose::kOthers);
      const std::string words = dialogue.talk(client);
      refused = give() != 0;
      outcome_.refused += refused ? 1 : 0;
      outcome_.failed += words.find(sqlstate::kOutOfMemory.text()) != std::string::npos ? 1 : 0;
      if (words.find("nothing came") != std::string::npos) {
        fail("no answer: " + words.substr(0, 200));
      } else if (words.find(" 58") != std::string::npos || words.find("(XX") != std::string::npos) {
        fail(words.substr(0, 200));
      } else {
        TestClient next(path());
        next.start();
        const std::string alive = ask(next, "select count(*) from t");
        if (alive != "T D(60) C(SELECT 1) Z(I)") fail("the next client: " + alive);
      }
      if (!outcome_.error.empty()) {
        print_refused();
        outcome_.error += "\n  request " + std::to_string(n) + " of " + dialogue.name;
      }
    }
  }

 private:
  Status start() {
    INDIGO_ASSIGN(instance_, engine::Instance::open({}));
    wire::ListenAddress address;
    address.listen_addresses = "";
    address.socket_directories = directory_.path();
    INDIGO_ASSIGN(wire::Listeners listeners, wire::Listeners::open(address));
    wire::ServerOptions options;
    options.workers = 2;
    INDIGO_ASSIGN(server_, wire::Server::start(*instance_, std::move(listeners), options));
    TestClient client(path());
    client.start();
    ask(client,
        "create table t (a int primary key, b text); insert into t select g, 'b' || g from generate_series(1, 60) g");
    ask(client, "create table passing (a int, b text)");
    return {};
  }
  void fail(const std::string& why) { outcome_.error = why; }
  std::string path() const { return directory_.path() + "/.s.PGSQL.5432"; }

  Outcome& outcome_;
  Folder directory_;
  std::unique_ptr<engine::Instance> instance_;
  std::unique_ptr<wire::Server> server_;
};

}  // namespace

Outcome sweep_served(const Options& options) {
  Outcome outcome;
  Served served(outcome);
  for (const Dialogue& dialogue : dialogues()) {
    if (std::string_view(dialogue.name).find(options.only) == std::string_view::npos) continue;
    if (outcome.error.empty()) served.run(dialogue, options);
  }
  return outcome;
}

}  // namespace indigo::allocations
