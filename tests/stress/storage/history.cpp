#include "tests/stress/storage/history.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <unordered_map>

namespace indigo::storage {
namespace {

std::string show(Element element) {
  return "T" + std::to_string(element / kAppendsMax) + "." + std::to_string(element % kAppendsMax);
}

bool is_prefix(const std::vector<Element>& a, const std::vector<Element>& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

class Judge {
 public:
  Judge(const std::vector<HistoryTransaction>& history, const FinalLists& lists) : lists_(lists) {
    for (const auto& t : history) {
      if (t.committed) committed_[t.id] = &t;
    }
  }

  std::string verdict() {
    for (auto check :
         {&Judge::check_lists, &Judge::check_reads, &Judge::check_memory, &Judge::build_graph, &Judge::check_cycles}) {
      if (std::string wrong = (this->*check)(); !wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  const HistoryTransaction* writer(Element e) const {
    auto it = committed_.find(e / kAppendsMax);
    return it == committed_.end() ? nullptr : it->second;
  }

  std::string check_lists() {
    std::map<int, std::set<Element>> present;
    for (auto& [key, list] : lists_) {
      for (Element e : list) {
        if (!present[key].insert(e).second) return "lost update: " + show(e) + " is there twice";
        if (!writer(e)) return "G1a: " + show(e) + " stayed, its transaction did not commit";
      }
    }
    size_t appended = 0;
    for (auto& [id, t] : committed_) {
      for (const auto& a : t->appends) {
        appended++;
        if (!present[a.key].contains(a.element)) return "lost update: " + show(a.element) + " is missing";
        std::vector<Element> through = a.before;
        through.push_back(a.element);
        if (!is_prefix(through, lists_.at(a.key))) {
          return "lost update: " + show(a.element) + " was appended to something else than what is before it";
        }
      }
    }
    size_t there = 0;
    for (auto& [key, elements] : present) there += elements.size();
    if (there != appended) return "G1a: elements stayed that were rolled back to a savepoint";
    return {};
  }

  std::string check_reads() {
    for (auto& [id, t] : committed_) {
      for (const auto& seen : t->reads) {
        auto final_list = lists_.find(seen.key);
        const std::vector<Element> none;
        const auto& list = final_list == lists_.end() ? none : final_list->second;
        for (Element e : seen.list) {
          if (!writer(e)) return "G1a: T" + std::to_string(id) + " saw " + show(e) + ", which did not commit";
        }
        if (!is_prefix(seen.list, list)) {
          return "T" + std::to_string(id) + " saw a list of key " + std::to_string(seen.key) + " that never was";
        }
        if (!seen.list.empty() && seen.list.size() < list.size() &&
            seen.list.back() / kAppendsMax == list[seen.list.size()] / kAppendsMax) {
          return "G1b: T" + std::to_string(id) + " saw " + show(seen.list.back()) + " without its successor";
        }
      }
    }
    return {};
  }

  // What a transaction was shown of another, by a read or by the row that it changed, its later reads have too.
  std::string check_memory() {
    for (auto& [id, t] : committed_) {
      std::set<uint32_t> known;
      size_t appends = 0;
      for (const auto& seen : t->reads) {
        for (; appends < seen.appends_before; appends++) {
          for (Element e : t->appends[appends].before) known.insert(e / kAppendsMax);
        }
        for (Element e : seen.list) known.insert(e / kAppendsMax);
        auto list = lists_.find(seen.key);
        if (list == lists_.end()) continue;
        for (size_t i = seen.list.size(); i < list->second.size(); i++) {
          uint32_t other = list->second[i] / kAppendsMax;
          if (other != id && known.contains(other)) {
            return "forgotten: T" + std::to_string(id) + " knew T" + std::to_string(other) + " and missed " +
                   show(list->second[i]);
          }
        }
      }
    }
    return {};
  }

  // ---- the graph: committed transactions, then ticks of the clock in order
  void edge(size_t from, size_t to) {
    if (from != to) out_[from].push_back(to);
  }

  std::string build_graph() {
    std::vector<uint64_t> ticks;
    for (auto& [id, t] : committed_) {
      node_[id] = nodes_.size();
      nodes_.push_back(t);
      ticks.push_back(t->begin);
      ticks.push_back(t->end);
    }
    std::sort(ticks.begin(), ticks.end());
    ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
    out_.resize(nodes_.size() + ticks.size());
    auto tick_node = [&](uint64_t tick) {
      return nodes_.size() + static_cast<size_t>(std::lower_bound(ticks.begin(), ticks.end(), tick) - ticks.begin());
    };
    for (size_t i = 0; i + 1 < ticks.size(); i++) edge(nodes_.size() + i, nodes_.size() + i + 1);
    for (size_t i = 0; i < nodes_.size(); i++) {
      edge(i, tick_node(nodes_[i]->end));
      edge(tick_node(nodes_[i]->begin), i);
    }
    for (auto& [key, list] : lists_) {
      for (size_t i = 0; i + 1 < list.size(); i++) {
        edge(node_.at(list[i] / kAppendsMax), node_.at(list[i + 1] / kAppendsMax));
      }
    }
    for (auto& [id, t] : committed_) {
      for (const auto& seen : t->reads) {
        if (!seen.list.empty()) edge(node_.at(seen.list.back() / kAppendsMax), node_.at(id));
        auto list = lists_.find(seen.key);
        if (list == lists_.end() || seen.list.size() == list->second.size()) continue;
        const HistoryTransaction* next = writer(list->second[seen.list.size()]);
        if (next->id == id) continue;
        if (next->end < t->begin) {
          return "stale read: T" + std::to_string(id) + " did not see T" + std::to_string(next->id) +
                 ", acknowledged before it began";
        }
        if (t->snapshot) anti_.push_back({node_.at(id), node_.at(next->id)});
      }
    }
    return {};
  }

  std::string check_cycles() {
    // G1c: a node of a graph without cycles can be removed when nothing leads to it any more.
    std::vector<size_t> incoming(out_.size());
    for (auto& edges : out_) {
      for (size_t to : edges) incoming[to]++;
    }
    std::vector<size_t> free;
    for (size_t i = 0; i < out_.size(); i++) {
      if (incoming[i] == 0) free.push_back(i);
    }
    size_t removed = 0;
    while (!free.empty()) {
      size_t at = free.back();
      free.pop_back();
      removed++;
      for (size_t to : out_[at]) {
        if (--incoming[to] == 0) free.push_back(to);
      }
    }
    if (removed != out_.size()) {
      for (size_t i = 0; i < nodes_.size(); i++) {
        if (incoming[i] > 0) return "G1c: a cycle through T" + std::to_string(nodes_[i]->id);
      }
    }
    // G-single: rw from a reader to a writer that leads back to the reader.
    std::unordered_map<size_t, std::vector<size_t>> by_writer;
    for (auto [reader, next] : anti_) by_writer[next].push_back(reader);
    std::vector<uint32_t> reached(out_.size());
    uint32_t round = 0;
    for (auto& [next, readers] : by_writer) {
      round++;
      std::vector<size_t> stack{next};
      reached[next] = round;
      while (!stack.empty()) {
        size_t at = stack.back();
        stack.pop_back();
        for (size_t to : out_[at]) {
          if (reached[to] != round) {
            reached[to] = round;
            stack.push_back(to);
          }
        }
      }
      for (size_t reader : readers) {
        if (reached[reader] == round) {
          return "G-single: T" + std::to_string(nodes_[reader]->id) + " missed T" + std::to_string(nodes_[next]->id) +
                 " but saw what depends on it";
        }
      }
    }
    return {};
  }

  const FinalLists& lists_;
  std::map<uint32_t, const HistoryTransaction*> committed_;
  std::vector<const HistoryTransaction*> nodes_;
  std::map<uint32_t, size_t> node_;
  std::vector<std::vector<size_t>> out_;         // ww, wr, rt
  std::vector<std::pair<size_t, size_t>> anti_;  // rw of snapshot readers
};

}  // namespace

std::string judge(const std::vector<HistoryTransaction>& history, const FinalLists& lists) {
  return Judge(history, lists).verdict();
}

std::string encode_list(const std::vector<Element>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Element)};
}

std::vector<Element> decode_list(std::string_view row) {
  std::vector<Element> list(row.size() / sizeof(Element));
  if (!list.empty()) std::memcpy(list.data(), row.data(), row.size());
  return list;
}

}  // namespace indigo::storage
