#include "tests/history/graph.h"

#include <algorithm>

namespace indigo::history {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
const char* kind_name(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kWw: return "ww";
    case EdgeKind::kWr: return "wr";
    case EdgeKind::kRw: return "rw";
    case EdgeKind::kTime: break;
  }
  return "before";
}

}  // namespace

Graph::Graph(std::vector<const Transaction*> nodes) : nodes_(std::move(nodes)), edges_(nodes_.size()) {
  for (uint32_t i = 0; i < nodes_.size(); i++) {
    uint32_t id = nodes_[i]->id;
    if (number_.size() <= id) number_.resize(id + 1, kNone);
    number_[id] = i;
  }
}

void Graph::add(const Transaction* from, const Transaction* to, EdgeKind kind) {
  if (from == nullptr || to == nullptr || from == to) return;
  if (from->id >= number_.size() || to->id >= number_.size()) return;
  uint32_t a = number_[from->id], b = number_[to->id];
  if (a == kNone || b == kNone) return;  // not asked about
  edges_[a].push_back({b, kind});
  edge_count_++;
}

void Graph::add_time() {
  std::vector<uint32_t> ends(nodes_.size());
  for (uint32_t i = 0; i < ends.size(); i++) ends[i] = i;
  std::vector<uint32_t> begins = ends;
  std::sort(ends.begin(), ends.end(),
            [&](uint32_t a, uint32_t b) { return nodes_[a]->commit_end < nodes_[b]->commit_end; });
  std::sort(begins.begin(), begins.end(), [&](uint32_t a, uint32_t b) { return nodes_[a]->begin < nodes_[b]->begin; });
  auto first = static_cast<uint32_t>(nodes_.size());
  edges_.resize(nodes_.size() * 2);
  for (uint32_t i = 0; i < ends.size(); i++) {
    edges_[ends[i]].push_back({first + i, EdgeKind::kTime});
    if (i + 1 < ends.size()) edges_[first + i].push_back({first + i + 1, EdgeKind::kTime});
  }
  uint32_t ended = 0;
  for (uint32_t b : begins) {
    while (ended < ends.size() && nodes_[ends[ended]]->commit_end < nodes_[b]->begin) ended++;
    if (ended > 0) edges_[first + ended - 1].push_back({b, EdgeKind::kTime});
  }
}

// Depth first; a way back to a node that is on the path closes a cycle.
std::string Graph::find(const Edges& edges) const {
  enum : uint8_t { kNew, kOnPath, kDone };
  std::vector<uint8_t> state(edges.size(), kNew);
  struct Frame {
    uint32_t node;
    size_t next;
    EdgeKind came_by;
  };
  std::vector<Frame> path;
  for (uint32_t root = 0; root < edges.size(); root++) {
    if (state[root] != kNew) continue;
    path.push_back({root, 0, EdgeKind::kTime});
    state[root] = kOnPath;
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.next == edges[top.node].size()) {
        state[top.node] = kDone;
        path.pop_back();
        continue;
      }
      Edge edge = edges[top.node][top.next++];
      if (state[edge.to] == kNew) {
        state[edge.to] = kOnPath;
        path.push_back({edge.to, 0, edge.kind});
      } else if (state[edge.to] == kOnPath) {
        size_t at = path.size();
        while (path[at - 1].node != edge.to) at--;
        std::string text;
        auto name = [&](uint32_t node) {
          uint32_t real = node % edges_.size();
          return real < nodes_.size() ? "T" + std::to_string(nodes_[real]->id) : std::string();
        };
        for (size_t i = at - 1; i < path.size(); i++) {
          if (i >= at) text += std::string(" ") + kind_name(path[i].came_by) + " ";
          text += name(path[i].node);
        }
        return text + " " + kind_name(edge.kind) + " " + name(edge.to);
      }
    }
  }
  return {};
}

std::string Graph::cycle(bool with_rw) const {
  if (with_rw) return find(edges_);
  Edges some(edges_.size());
  for (size_t i = 0; i < edges_.size(); i++) {
    for (Edge e : edges_[i]) {
      if (e.kind != EdgeKind::kRw) some[i].push_back(e);
    }
  }
  return find(some);
}

// Every node twice: reached by rw, or by another edge. From the first only other edges lead on.
std::string Graph::cycle_without_adjacent_rw() const {
  auto n = static_cast<uint32_t>(edges_.size());
  Edges doubled(size_t{n} * 2);
  for (uint32_t i = 0; i < n; i++) {
    for (Edge e : edges_[i]) {
      bool rw = e.kind == EdgeKind::kRw;
      doubled[i].push_back({rw ? e.to + n : e.to, e.kind});
      if (!rw) doubled[i + n].push_back(e);
    }
  }
  return find(doubled);
}

}  // namespace indigo::history
