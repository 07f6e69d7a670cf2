#include "tests/crash/script.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace indigo::crash {

// Writes the steps one after the other; knows which tables there are.
class Writer {
 public:
  Writer(uint64_t seed, Script& script)
      : random_(seed * 1000 + script.client_), script_(script), schema_(script.schema()) {}

  void setup() {
    const std::string& s = schema_;
    add("create schema " + s + "; create table " + s + ".rows (id int primary key, v text, x int); create index on " +
        s + ".rows (x); create unique index on " + s + ".rows (v) where x = -1; create sequence " + s +
        ".s; create table " + s + ".numbered (v bigint primary key, step int); create table " + s +
        ".last (n int); insert into " + s + ".last values (0); create table " + s +
        ".marks (n int primary key, k int); create index on " + s + ".marks (k); select lo_create(" +
        script_.large_object() + ")" + programs());
  }
  void step() {
    switch (pick(20)) {
      case 0:
      case 1: return insert(1 + pick(20));
      case 2: return add("update " + schema_ + ".rows set v = md5(v || x), x = x + 1 where id % " + some());
      case 3: return add("delete from " + schema_ + ".rows where id % " + some());
      case 4:
      case 14: return large();
      case 5: return create();
      case 6: return drop();
      case 7: return truncate();
      case 8: return alter();
      case 9:
        return add("insert into " + schema_ + ".numbered select nextval('" + schema_ + ".s'), " + number() +
                   " from generate_series(1, " + std::to_string(1 + pick(40)) + ")");
      case 15: return large_object();
      case 16:
      case 17: return partitioned();
      case 18: return move_partition();
      case 19: return replace();
      case 10:
      case 11: return share();
      case 12: return roll_back();
      default:
        return add("update " + schema_ + ".rows set id = -id where id % " + some() + "; savepoint a; delete from " +
                   schema_ + ".rows; rollback to a");
    }
  }

 private:
  // Statements that change `rows` are counted by a trigger, rows that come to a partitioned table are written by one.
  std::string programs() const {
    const std::string& s = schema_;
    return "; create table " + s + ".counts (op text primary key, n int); insert into " + s +
           ".counts values ('INSERT', 0), ('UPDATE', 0), ('DELETE', 0); create function " + s +
           ".count_op() returns trigger language plpgsql as $$ begin update " + s +
           ".counts set n = n + 1 where op = tg_op; return null; end $$; create trigger counted after insert or update "
           "or "
           "delete on " +
           s + ".rows for each statement execute function " + s + ".count_op(); create table " + s +
           ".parts (id int primary key, v text) partition by range (id); create table " + s + ".parts_0 partition of " +
           s + ".parts for values from (0) to (50); create table " + s + ".parts_1 partition of " + s +
           ".parts for values from (50) to (100); create table " + s + ".parts_rest partition of " + s +
           ".parts default; " + stamp("0") + "; create trigger stamped before insert on " + s +
           ".parts for each row execute function " + s + ".stamp()";
  }
  std::string stamp(const std::string& word) const {
    return "create or replace function " + schema_ +
           ".stamp() returns trigger language plpgsql as $$ begin new.v := new.v || ' " + word +
           " ' || new.id; return new; end $$";
  }
  void partitioned() {
    const std::string parts = schema_ + ".parts";
    if (pick(3) == 0) {  // rows that go from partition to partition
      return add("delete from " + parts + " where id >= 60; update " + parts + " set id = id + 60 where id % " +
                 some());
    }
    const uint64_t first = pick(120);
    add("insert into " + parts + " select i, 'p' from generate_series(" + std::to_string(first) + ", " +
        std::to_string(first + pick(30)) + ") i on conflict (id) do update set v = excluded.v || '!'");
  }
  void move_partition() {
    const std::string parts = schema_ + ".parts";
    add("alter table " + parts + " detach partition " + parts + "_1; update " + parts +
        "_1 set v = v || ' alone'; alter table " + parts + " attach partition " + parts +
        "_1 for values from (50) to (100)");
  }
  void replace() {
    const std::string rows = schema_ + ".rows";
    if (pick(2) == 0) return add(stamp(number()));
    add("drop trigger counted on " + rows + "; delete from " + rows + " where id % " + some() +
        "; create trigger counted after insert or update or delete on " + rows +
        " for each statement execute function " + schema_ + ".count_op()");
  }
  uint64_t pick(uint64_t n) { return random_() % n; }
  std::string number() const { return std::to_string(script_.steps_.size()); }
  std::string some() {
    const uint64_t n = 2 + pick(5);
    return std::to_string(n) + " = " + std::to_string(pick(n));
  }
  void add(const std::string& statements, bool shared = false, const std::string& before = "") {
    Step step;
    const std::string n = std::to_string(script_.steps_.size() + 1);
    if (pick(4) == 0) step.prepared = script_.prepared_name(script_.steps_.size() + 1);
    const std::string end = step.prepared.empty() ? "commit" : "prepare transaction '" + step.prepared + "'";
    step.text = "begin; " + statements + "; update " + schema_ + ".last set n = " + n + "; delete from " + schema_ +
                ".marks; insert into " + schema_ + ".marks values (" + n + ", " + n + "); " + end;
    if (!before.empty() && pick(2) == 0) {
      step.rolled_back = script_.prepared_name(script_.steps_.size() + 1) + "_gone";
      step.before = before + "prepare transaction '" + step.rolled_back + "'";
    } else if (!before.empty()) {
      step.text = before + "rollback; " + step.text;
    }
    step.shared = shared;
    step.asynchronous = pick(8) == 0;
    step.checkpoint = script_.client_ == 0 && pick(3) == 0;
    script_.steps_.push_back(std::move(step));
  }
  std::string rows(uint64_t count, const std::string& value) {
    const std::string first = std::to_string(next_id_), last = std::to_string(next_id_ + count - 1);
    next_id_ += count;
    return "insert into " + schema_ + ".rows (id, v, x) select i, " + value + ", i % 7 from generate_series(" + first +
           ", " + last + ") i";
  }
  void insert(uint64_t count) { add(rows(count, "'row ' || i")); }
  // Rows outside their leaves, and transactions longer than a block.
  void large() {
    const uint64_t bytes = 500 + pick(pick(2) == 0 ? 5000 : 120000);
    add(rows(1 + pick(6), "repeat(md5(i::text), " + std::to_string(bytes / 32) + ")"));
  }
  void large_object() {
    const std::string object = script_.large_object();
    const std::string offset = std::to_string(pick(20000));
    switch (pick(4)) {
      case 0: return add("select lo_truncate(lo_open(" + object + ", 131072), " + offset + ")");
      case 1:
        return add("select lo_unlink(" + object + "); select lo_from_bytea(" + object + ", '" + number() +
                   "'); grant select on large object " + object + " to public");
      default:
        return add("select lo_put(" + object + ", " + offset + ", repeat('" + number() + "', " +
                   std::to_string(1 + pick(3000)) + ")::bytea)");
    }
  }
  void create() {
    const std::string table = schema_ + ".extra" + number();
    add("create table " + table + " (a serial primary key, b text default 'none' unique); insert into " + table +
        " (b) select 'b' || i from generate_series(1, " + std::to_string(1 + pick(50)) + ") i; comment on table " +
        table + " is 'an extra'; delete from " + table + " where a % " + some());
    extras_.push_back(table);
  }
  void drop() {
    if (extras_.empty()) return create();
    const size_t i = pick(extras_.size());
    add("drop table " + extras_[i]);
    extras_.erase(extras_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void truncate() {
    const std::string table = extras_.empty() || pick(3) == 0 ? schema_ + ".rows" : extras_[pick(extras_.size())];
    add("truncate " + table);
  }
  void alter() {
    const std::string column = "n" + number();
    switch (pick(3)) {
      case 0: return add("alter table " + schema_ + ".rows add column " + column + " int default " + number());
      case 1: return add("alter table " + schema_ + ".rows alter column x type bigint using x + 1");
      default: return add("create index " + schema_ + "_" + column + " on " + schema_ + ".rows (x, id)");
    }
  }
  void share() {
    add("update shared.counter set n = n + 1; insert into shared.history select n, " + std::to_string(script_.client_) +
            ", " + number() + " from shared.counter",
        true);
  }
  void roll_back() {
    const std::string table = schema_ + ".gone" + number();
    add("insert into " + schema_ + ".numbered select nextval('" + schema_ + ".s'), " + number(), false,
        "begin; create table " + table + " (a int); insert into " + table + " values (1); delete from " + schema_ +
            ".rows; select nextval('" + schema_ + ".s'); ");
  }

  std::mt19937_64 random_;
  Script& script_;
  const std::string schema_;
  uint64_t next_id_ = 1;
  std::vector<std::string> extras_;
};

Script::Script(uint64_t seed, uint32_t client, uint32_t steps) : client_(client) {
  Writer writer(seed, *this);
  writer.setup();
  while (steps_.size() < steps) writer.step();
  run_in_memory();
}

void Script::run_in_memory() {
  auto instance = start({}, nullptr);
  if (!instance.ok()) std::abort();
  Client client(**instance);
  std::string error = client.run(kSharedSetup);
  expected_.push_back(contents(client));
  for (const Step& step : steps_) {
    if (error.empty()) error = run(client, step);
    if (!error.empty()) {
      std::fprintf(stderr, "a script's own error: %s in %s\n", error.c_str(), step.text.c_str());
      std::abort();
    }
    expected_.push_back(contents(client));
  }
}

std::string Script::run(Client& client, const Step& step, const std::function<void()>& on_prepared) {
  std::string error;
  if (!step.before.empty()) {
    error = client.run(step.before);
    if (error.empty()) error = client.run("rollback prepared '" + step.rolled_back + "'");
  }
  if (error.empty()) error = client.run(step.text);
  if (!error.empty() || step.prepared.empty()) return error;
  if (on_prepared) on_prepared();
  return client.run("commit prepared '" + step.prepared + "'");
}

std::string Script::decide(Client& client, bool commit, uint64_t prepared_least) const {
  const std::string last = client.ask("select n from " + schema() + ".last");
  const bool none = last.empty() || last.find_first_not_of("0123456789") != std::string::npos;
  const uint64_t done = none ? 0 : std::stoull(last);
  const std::string name = prepared_name(done + 1), gone = name + "_gone";
  const std::string found = client.ask("select gid from pg_prepared_xacts where gid like '" + schema() + "\\_%'");
  if (found.empty()) {
    if (prepared_least > done) return "client " + std::to_string(client_) + ": prepared " + name + " is lost";
    return "";
  }
  if (found != name && found != gone) return "after " + std::to_string(done) + " transactions prepared are: " + found;
  if (done > 0) {  // it holds what it has changed or locked
    const std::string held = found == name ? ".last for update nowait" : ".rows for update nowait";
    const std::string refused = client.run("select * from " + schema() + held);
    const bool any = found == name || client.ask("select count(*) from " + schema() + ".rows") != "0";
    if (any && !refused.starts_with("55P03")) return "prepared " + found + " holds nothing: " + refused;
  }
  const bool commits = found == name && commit;
  return client.run((commits ? "commit prepared '" : "rollback prepared '") + found + "'");
}

std::string Script::contents(Client& client) const {
  const std::string s = schema();
  std::string out = client.ask(
      "select relname, relkind, obj_description(oid) from pg_class where relnamespace = (select oid from pg_namespace "
      "where "
      "nspname = '" +
      s + "') order by 1");
  out += "\nlarge object: " +
         client.ask("select lomacl, md5(lo_get(oid)) from pg_largeobject_metadata where oid = " + large_object());
  out += "\nprograms: " + client.ask(
                              "select proname, md5(prosrc) from pg_proc where pronamespace = (select oid from "
                              "pg_namespace where nspname = '" +
                              s + "') order by 1");
  out += "\ntriggers: " + client.ask(
                              "select tgname, tgrelid::regclass, tgenabled from pg_trigger where not tgisinternal "
                              "and tgrelid::regclass::text like '" +
                              s + ".%' order by 2, 1");
  out += "\npartitions: " + client.ask(
                                "select inhrelid::regclass, inhparent::regclass from pg_inherits where "
                                "inhparent::regclass::text like '" +
                                s + ".%' order by 1");
  std::string tables = client.ask(
      "select relname from pg_class where relkind = 'r' and relnamespace = (select oid from "
      "pg_namespace where nspname = '" +
      s + "') order by 1");
  while (!tables.empty()) {
    const size_t end = std::min(tables.find('\n'), tables.size());
    const std::string table = tables.substr(0, end);
    tables.erase(0, end + 1);
    const std::string columns = table == "numbered" ? "step" : "t::text";
    out += "\n" + table + ": " +
           client.ask("select count(*), md5(string_agg(c, ';' order by c)) from (select (" + columns +
                      ")::text c from " + s + "." + table + " t) q");
    if (table == "rows") out += "\nby index: " + client.ask("select count(*), sum(id) from " + s + ".rows where x = 3");
  }
  return out;
}

uint64_t Script::shown(Client& client, int way, uint64_t known) const {
  const std::string marks = schema() + ".marks", n = std::to_string(known);
  const auto missing = [&](const char* column) {
    return client.ask("select " + n + " from (select count(*) c from " + marks + " where " + column + " = " + n +
                      ") q where c = 0");
  };
  std::string answer;
  switch (way) {
    case 0: answer = client.ask("select n from " + schema() + ".last"); break;
    case 1: answer = client.ask("select max(n) from " + marks); break;
    case 2: answer = missing("n"); break;
    default: answer = missing("k");
  }
  if (answer.empty() || answer.find_first_not_of("0123456789") != std::string::npos) return known;
  return std::stoull(answer) + (way >= 2 && known > 0 ? 1 : 0);  // its mark is gone: there was another
}

std::string Script::shared_steps(size_t n) const {
  std::string out;
  for (size_t i = 0; i < n; i++) {
    if (steps_[i].shared) out += (out.empty() ? "" : "\n") + std::to_string(i);
  }
  return out;
}

}  // namespace indigo::crash
