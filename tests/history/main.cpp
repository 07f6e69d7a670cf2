// indigo-prove: runs random histories, one for each seed, and checks them. Exits with 1 at the first seed that breaks what
// its isolation level promises; prints counts, and the whole of a short history that broke it.
//
//   indigo-prove [--seeds N] [--first SEED] [--transactions N] [--clients N] [--keys N] [--level NAME] [--over DIR:PORT]
//                [--clock counter|tsc] [--method ssn|locking] [--index btree|hash|griffin|indexlet|adaptive|hydralist]
//
// --index: the structure of the secondary index; without it seeds take turns.
// --method: what the store has in process, and what the server has over the wire, where it must be the server's setting.
// --level: serializable, repeatable-read, read-committed, mixed; without it seeds take turns, serializable every other.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "tests/history/checker.h"
#include "tests/history/workload.h"

namespace indigo::history {

namespace {

struct Arguments {
  uint64_t seeds = 10, first = 1;
  WorkloadOptions workload;
  std::string level, over, index;
  storage::ClockSource clock = storage::ClockSource::kCounter;  // in process
  bool locking = false;
};

bool parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string name = argv[i];
    uint64_t n = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seeds") {
      a.seeds = n;
    } else if (name == "--first") {
      a.first = n;
    } else if (name == "--transactions") {
      a.workload.transactions = static_cast<uint32_t>(n);
    } else if (name == "--clients") {
      a.workload.clients = static_cast<uint32_t>(n);
    } else if (name == "--keys") {
      a.workload.keys = static_cast<int64_t>(n);
    } else if (name == "--level") {
      a.level = argv[i + 1];
    } else if (name == "--clock") {
      a.clock = std::strcmp(argv[i + 1], "tsc") == 0 ? storage::ClockSource::kTsc : storage::ClockSource::kCounter;
    } else if (name == "--method") {
      a.locking = std::strcmp(argv[i + 1], "locking") == 0;
    } else if (name == "--index") {
      a.index = argv[i + 1];
    } else if (name == "--over") {
      a.over = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

std::vector<Level> levels(const std::string& name, uint64_t seed) {
  const char* turn[] = {"serializable", "repeatable-read", "serializable", "read-committed", "serializable", "mixed"};
  std::string level = name.empty() ? turn[seed % 6] : name;
  if (level == "read-committed") return {Level::kReadCommitted};
  if (level == "repeatable-read") return {Level::kRepeatableRead};
  if (level == "mixed") {
    return {Level::kSerializable, Level::kSerializable, Level::kReadCommitted, Level::kRepeatableRead};
  }
  return {Level::kSerializable};
}

// Buffers what two threads have met at once, for a moment.
std::unique_ptr<storage::Index> create_sensitive_index(const storage::IndexEnvironment& e) {
  return std::make_unique<storage::IndexletIndex>(e.epochs, &e.account, e.pauses, &e.service,
                                                  storage::Buffering{1, 1, 1000});
}

struct Structure {
  const char* name;
  storage::IndexFactory factory;
};

const Structure& structure(const std::string& name, uint64_t seed) {
  static constexpr Structure kAll[] = {
      {"btree", storage::create_btree_index},     {"hash", storage::create_hash_index},
      {"griffin", storage::create_griffin_index}, {"indexlet", storage::create_indexlet_index},
      {"adaptive", create_sensitive_index},       {"hydralist", storage::create_hydralist_index}};
  for (const Structure& s : kAll) {
    if (name == s.name) return s;
  }
  return kAll[seed / 6 % std::size(kAll)];  // each with each of levels()
}

constexpr size_t kMostPrinted = 1000;

std::string text_of(const Operation& o) {
  const auto number = [](int64_t n) { return std::to_string(n); };
  std::string text;
  switch (o.kind) {
    case Operation::Kind::kReadRange: text = "keys " + number(o.low) + ".." + number(o.high); break;
    case Operation::Kind::kReadGroup: text = "group " + number(o.low); break;
    case Operation::Kind::kTaken: text = "taken " + number(o.low); break;
    case Operation::Kind::kWrite: text = "write"; break;
    case Operation::Kind::kUndone: text = "undone"; break;
  }
  if (o.kind == Operation::Kind::kWrite || o.kind == Operation::Kind::kUndone) {
    return text + " key " + number(o.row.k) + ": " + number(o.before) + " -> " + number(o.row.v) + " in group " +
           number(o.row.g);
  }
  for (const Row& row : o.rows) {
    text += " (" + number(row.k) + ", " + number(row.v) + ", group " + number(row.g) + ")";
  }
  return text;
}

// In the order in which statements ended; times in nanoseconds from the first.
void print(const History& history) {
  struct Line {
    uint64_t begin, end;
    std::string text;
  };
  std::vector<Line> lines;
  for (const Transaction& t : history) {
    const std::string name = "T" + std::to_string(t.id);
    for (const Operation& o : t.operations) lines.push_back({o.begin, o.end, name + " " + text_of(o)});
    const bool committed = t.outcome == Transaction::Outcome::kCommitted;
    lines.push_back({t.commit_begin, t.commit_end, name + (committed ? " committed" : " aborted")});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.end < b.end; });
  uint64_t first = UINT64_MAX;
  for (const Line& line : lines) first = std::min(first, line.begin);
  for (const Line& line : lines) {
    std::printf("  %9llu %9llu  %s\n", static_cast<unsigned long long>(line.begin - first),
                static_cast<unsigned long long>(line.end - first), line.text.c_str());
  }
}

int prove(const Arguments& a) {
  Verdict sum;
  auto start = std::chrono::steady_clock::now();
  for (uint64_t seed = a.first; seed < a.first + a.seeds; seed++) {
    WorkloadOptions options = a.workload;
    options.seed = seed;
    options.levels = levels(a.level, seed);
    const Structure& index = structure(a.index, seed);
    std::unique_ptr<Backend> backend =
        a.over.empty() ? store_backend(a.clock, a.locking, index.factory) : wire_backend(a.over, index.name);
    History history = run_workload(*backend, options);
    Verdict v = check(history, options.keys + 8, a.locking);
    sum.committed += v.committed;
    sum.aborted += v.aborted;
    sum.versions += v.versions;
    sum.edges += v.edges;
    sum.predicate_edges += v.predicate_edges;
    if (v.violations.empty()) continue;
    std::printf("seed %llu, %s%s, index %s: not what was promised\n", static_cast<unsigned long long>(seed),
                options.levels.size() > 1 ? "mixed with " : "", name_of(options.levels.front()), index.name);
    for (const std::string& text : v.violations) std::printf("  %s\n", text.c_str());
    if (history.size() <= kMostPrinted) print(history);
    return 1;
  }
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf(
      "%llu seeds, %llu committed, %llu aborted, %llu versions, %llu edges, %llu of them of predicates, %.1f s: "
      "as promised\n",
      static_cast<unsigned long long>(a.seeds), static_cast<unsigned long long>(sum.committed),
      static_cast<unsigned long long>(sum.aborted), static_cast<unsigned long long>(sum.versions),
      static_cast<unsigned long long>(sum.edges), static_cast<unsigned long long>(sum.predicate_edges),
      seconds.count());
  return 0;
}

}  // namespace

}  // namespace indigo::history

int main(int argc, char** argv) {
  indigo::history::Arguments arguments;
  if (!indigo::history::parse(argc, argv, arguments)) {
    std::fprintf(stderr, "indigo-prove: see the head of tests/history/main.cpp\n");
    return 2;
  }
  if (!indigo::storage::clock_source_usable(arguments.clock)) {
    std::fprintf(stderr, "indigo-prove: this machine has no such clock\n");
    return 3;
  }
  return indigo::history::prove(arguments);
}
