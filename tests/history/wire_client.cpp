// Clients of a server: SQL in Query messages over the Unix socket.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/history/client.h"

namespace indigo::history {

namespace {

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(2);
}

class Connection {
 public:
  explicit Connection(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die(path.c_str());
    std::string startup("\0\3\0\0user\0postgres\0database\0postgres\0\0", 37);
    send_all(big_endian(static_cast<uint32_t>(startup.size() + 4)) + startup);
    std::vector<std::vector<std::string>> rows;
    if (!until_ready(rows)) die("startup");
  }
  ~Connection() { ::close(socket_); }

  // False: the server answered an error.
  bool query(const std::string& sql, std::vector<std::vector<std::string>>& rows) {
    send_all("Q" + big_endian(static_cast<uint32_t>(sql.size() + 5)) + sql + std::string(1, '\0'));
    return until_ready(rows);
  }

 private:
  static std::string big_endian(uint32_t n) {
    std::string s;
    for (int shift = 24; shift >= 0; shift -= 8) s.push_back(static_cast<char>(n >> shift));
    return s;
  }
  static uint32_t number(const char* p, int bytes) {
    uint32_t n = 0;
    for (int i = 0; i < bytes; i++) n = n << 8 | static_cast<uint8_t>(p[i]);
    return n;
  }
  void send_all(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      ssize_t n = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) die("send");
      at += static_cast<size_t>(n);
    }
  }
  void receive(size_t bytes) {
    while (buffer_.size() - at_ < bytes) {
      char piece[4096];
      ssize_t n = ::recv(socket_, piece, sizeof piece, 0);
      if (n <= 0) die("recv");
      buffer_.erase(0, std::exchange(at_, 0));
      buffer_.append(piece, static_cast<size_t>(n));
    }
  }
  bool until_ready(std::vector<std::vector<std::string>>& rows) {
    bool ok = true;
    for (;;) {
      receive(5);
      char kind = buffer_[at_];
      size_t length = number(&buffer_[at_ + 1], 4);
      receive(1 + length);
      const char* body = &buffer_[at_ + 5];
      if (kind == 'D') {
        std::vector<std::string> row;
        uint32_t columns = number(body, 2);
        body += 2;
        for (uint32_t c = 0; c < columns; c++) {
          auto n = static_cast<int32_t>(number(body, 4));
          row.emplace_back(body + 4, static_cast<size_t>(std::max(n, 0)));
          body += 4 + std::max(n, 0);
        }
        rows.push_back(std::move(row));
      }
      ok = ok && kind != 'E';
      at_ += 1 + length;
      if (kind == 'Z') return ok;
    }
  }

  int socket_;
  std::string buffer_;
  size_t at_ = 0;
};

class WireClient final : public Client {
 public:
  explicit WireClient(const std::string& path) : connection_(path) {}

  void begin(Level level) override { (void)run(std::string("BEGIN ISOLATION LEVEL ") + name_of(level)); }
  Answer commit() override { return run("COMMIT"); }
  void rollback() override { (void)run("ROLLBACK"); }
  Answer savepoint() override { return run("SAVEPOINT s"); }
  Answer rollback_to() override { return run("ROLLBACK TO s; RELEASE s"); }

  Answer read_key(int64_t k, std::vector<Row>& rows) override { return select("WHERE k = " + std::to_string(k), rows); }
  Answer lock_key(int64_t k, std::vector<Row>& rows) override {
    return select("WHERE k = " + std::to_string(k) + " FOR UPDATE", rows);
  }
  Answer read_range(int64_t low, int64_t high, bool backward, std::vector<Row>& rows) override {
    return select("WHERE k BETWEEN " + std::to_string(low) + " AND " + std::to_string(high) + " ORDER BY k" +
                      (backward ? " DESC" : ""),
                  rows);
  }
  Answer read_group(int64_t g, std::vector<Row>& rows) override {
    return select("WHERE g = " + std::to_string(g), rows);
  }
  Answer update(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) override {
    return change("UPDATE register SET before = v, v = " + std::to_string(v) + ", g = " + std::to_string(g) +
                      " WHERE k = " + std::to_string(k) + " RETURNING before",
                  before);
  }
  Answer erase(int64_t k, std::optional<int64_t>& before) override {
    return change("DELETE FROM register WHERE k = " + std::to_string(k) + " RETURNING v", before);
  }
  Answer insert(int64_t k, int64_t v, int64_t g, bool& inserted) override {
    std::optional<int64_t> key;
    Answer a = change("INSERT INTO register VALUES (" + std::to_string(k) + ", " + std::to_string(v) + ", " +
                          std::to_string(g) + ", 0) ON CONFLICT DO NOTHING RETURNING k",
                      key);
    inserted = key.has_value();
    return a;
  }
  Answer upsert(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) override {
    Answer a =
        change("INSERT INTO register VALUES (" + std::to_string(k) + ", " + std::to_string(v) + ", " +
                   std::to_string(g) + ", 0) ON CONFLICT (k) DO UPDATE SET before = register.v, v = excluded.v, " +
                   "g = excluded.g RETURNING before",
               before);
    if (before == 0) before.reset();
    return a;
  }
  Answer run(const std::string& sql) {
    rows_.clear();
    return connection_.query(sql, rows_) ? Answer::kOk : Answer::kFailed;
  }

 private:
  static int64_t number(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }
  Answer select(const std::string& where, std::vector<Row>& rows) {
    Answer a = run("SELECT k, v, g FROM register " + where);
    for (const auto& row : rows_) rows.push_back({number(row[0]), number(row[1]), number(row[2])});
    return a;
  }
  Answer change(const std::string& sql, std::optional<int64_t>& value) {
    Answer a = run(sql);
    if (!rows_.empty()) value = number(rows_[0][0]);
    return a;
  }

  Connection connection_;
  std::vector<std::vector<std::string>> rows_;
};

class WireBackend final : public Backend {
 public:
  WireBackend(const std::string& address, const std::string& index_method) {
    size_t colon = address.rfind(':');
    path_ = address.substr(0, colon) + "/.s.PGSQL." + address.substr(colon + 1);
    WireClient client(path_);
    (void)client.run("DROP TABLE IF EXISTS register");
    if (client.run("CREATE TABLE register (k int8 PRIMARY KEY, v int8, g int8, before int8)") != Answer::kOk ||
        client.run("CREATE INDEX register_g ON register USING " + index_method + " (g)") != Answer::kOk) {
      die("CREATE TABLE");
    }
  }
  std::unique_ptr<Client> connect() override { return std::make_unique<WireClient>(path_); }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<Backend> wire_backend(const std::string& address, const std::string& index_method) {
  return std::make_unique<WireBackend>(address, index_method);
}

}  // namespace indigo::history
