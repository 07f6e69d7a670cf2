#include "storage/index/hnsw/neighbour_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <queue>

#include "base/memory/memory_reserve.h"
#include "base/vector_space.h"

namespace indigo::storage {

namespace {

// Without the column's byte.
Bytes vector_of(Bytes key) { return key.empty() ? key : key.substr(1); }

template <class T>
using NearestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;
template <class T>
using FarthestFirst = std::priority_queue<T>;

}  // namespace

// ---- what is known of keys

// Of a key it is always the same: a random number with the paper's distribution.
uint8_t NeighbourGraph::layer_for(Bytes key) const {
  uint64_t x = std::hash<Bytes>()(key) * 0x9e3779b97f4a7c15ULL;
  x ^= x >> 32;
  const double uniform = (static_cast<double>(x >> 11) + 1) * 0x1p-53;
  const double layer = -std::log(uniform) / std::log(std::max<double>(shape_.degree, 2));
  return static_cast<uint8_t>(std::min<double>(layer, kHighestLayer));
}

float NeighbourGraph::distance(Bytes key, uint32_t place) const {
  return vector_key_distance(vector_of(key), vector_of(*nodes_[place].key));
}

bool NeighbourGraph::fits(Bytes key) const {
  return entry_ == kNone ? is_vector_key(vector_of(key))
                         : are_comparable(vector_of(key), vector_of(*nodes_[entry_].key));
}

uint64_t NeighbourGraph::bytes_of(const Node& node) const {
  uint64_t bytes = sizeof(Node) + node.key->capacity() + 4 * sizeof(void*) + sizeof(std::string);
  bytes += sizeof(std::pair<Bytes, uint32_t>) + 3 * sizeof(void*);  // in by_key_
  for (size_t l = 0; l < node.links.size(); l++) bytes += sizeof(std::vector<Id>) + room_for_links(l) * sizeof(Id);
  return bytes;
}

// ---- searching

// The nearest node that a walk downhill finds in the layers above.
uint32_t NeighbourGraph::descend(Bytes key, uint8_t to_layer) const {
  uint32_t at = entry_;
  float least = distance(key, at);
  for (size_t layer = nodes_[at].layer; layer > to_layer; layer--) {
    for (bool moved = true; moved;) {
      moved = false;
      for (const Id id : nodes_[at].links[layer]) {
        if (!is_live(id)) continue;
        const float d = distance(key, place_of(id));
        if (d >= least) continue;
        least = d;
        at = place_of(id);
        moved = true;
        break;
      }
    }
  }
  return at;
}

// Algorithm 2: the nearest `wanted` that are met, in their order.
std::vector<NeighbourGraph::Near> NeighbourGraph::search_layer(Bytes key, uint32_t from, size_t layer,
                                                               size_t wanted) const {
  std::vector<bool> visited(nodes_.size());
  visited[from] = true;
  NearestFirst<Near> next;
  FarthestFirst<Near> found;
  const Near first{distance(key, from), from};
  next.push(first);
  found.push(first);
  while (!next.empty()) {
    const Near nearest = next.top();
    if (nearest.distance > found.top().distance && found.size() >= wanted) break;
    next.pop();
    for (const Id id : nodes_[nearest.place].links[layer]) {
      const uint32_t place = place_of(id);
      if (visited[place] || !is_live(id)) continue;
      visited[place] = true;
      const Near met{distance(key, place), place};
      if (found.size() >= wanted && met.distance >= found.top().distance) continue;
      next.push(met);
      found.push(met);
      if (found.size() > wanted) found.pop();
    }
  }
  std::vector<Near> out(found.size());
  for (size_t i = out.size(); i > 0; i--) {
    out[i - 1] = found.top();
    found.pop();
  }
  return out;
}

// Algorithm 4: those that are nearer to the new node than to one that was chosen before; then, as long as there is room, others.
std::vector<uint32_t> NeighbourGraph::choose(std::vector<Near> candidates, size_t most) const {
  std::sort(candidates.begin(), candidates.end());
  std::vector<uint32_t> out, others;
  for (const Near& c : candidates) {
    if (out.size() == most) break;
    const bool good = std::all_of(
        out.begin(), out.end(), [&](uint32_t chosen) { return distance(*nodes_[c.place].key, chosen) >= c.distance; });
    (good ? out : others).push_back(c.place);
  }
  for (size_t i = 0; i < others.size() && out.size() < most; i++) out.push_back(others[i]);
  return out;
}

// By layer, from the lowest to the node's own.
std::vector<std::vector<uint32_t>> NeighbourGraph::neighbours_for(Bytes key, uint8_t layer) const {
  std::vector<std::vector<uint32_t>> out(size_t{layer} + 1);
  if (entry_ == kNone) return out;
  const uint8_t highest = nodes_[entry_].layer;
  uint32_t from = descend(key, layer);
  for (size_t l = std::min(layer, highest) + size_t{1}; l-- > 0;) {
    std::vector<Near> met = search_layer(key, from, l, shape_.candidates);
    from = met.front().place;
    out[l] = choose(std::move(met), most_links(l));
  }
  return out;
}

// ---- changing

// Takes a free place for the key, all or nothing.
uint32_t NeighbourGraph::new_place(std::shared_ptr<const std::string> key, uint8_t layer) {
  if (free_.empty()) {
    free_.reserve(nodes_.size() + 1);  // remove() needs no memory for it
    nodes_.emplace_back();
    free_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
  }
  const uint32_t place = free_.back();
  by_key_.emplace(Bytes(*key), place);
  free_.pop_back();
  Node& node = nodes_[place];
  node.key = std::move(key);
  node.layer = layer;
  node.linked = false;
  return place;
}

NeighbourGraph::Added NeighbourGraph::add(Bytes key) {
  const uint8_t layer = layer_for(key);
  std::vector<std::vector<uint32_t>> chosen;
  std::vector<std::vector<Id>> named;  // as chosen, by what they were then
  {
    std::shared_lock shared(lock_);
    if (const auto known = by_key_.find(key); known != by_key_.end()) return {id_of(known->second), 0};
    if (entry_ != kNone && fits(key)) chosen = neighbours_for(key, layer);
    for (const auto& of_layer : chosen) {
      named.emplace_back();
      for (const uint32_t place : of_layer) named.back().push_back(id_of(place));
    }
  }
  auto kept = std::make_shared<const std::string>(key);
  std::lock_guard alone(lock_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return {id_of(known->second), 0};
  const uint32_t place = new_place(std::move(kept), layer);
  const MustNotFail no_failure;  // half a node's links, and bytes that nobody counts
  if (fits(key)) {
    // What was chosen may have gone; where nothing is left of it, or there was nothing yet, it is chosen now.
    for (size_t l = 0; l < chosen.size(); l++) {
      chosen[l].clear();
      for (const Id id : named[l]) {
        if (is_live(id) && nodes_[place_of(id)].linked) chosen[l].push_back(place_of(id));
      }
    }
    if (entry_ != kNone && (chosen.empty() || chosen[0].empty())) chosen = neighbours_for(key, layer);
    chosen.resize(size_t{layer} + 1);
    link(place, chosen);
  }
  const uint64_t bytes = bytes_of(nodes_[place]);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return {id_of(place), bytes};
}

void NeighbourGraph::link(uint32_t place, const std::vector<std::vector<uint32_t>>& chosen) {
  std::vector<std::vector<Id>> links(chosen.size());
  for (size_t l = 0; l < chosen.size(); l++) {
    links[l].reserve(room_for_links(l));
    for (const uint32_t to : chosen[l]) links[l].push_back(id_of(to));
  }
  Node& node = nodes_[place];
  node.links = std::move(links);
  node.linked = true;
  if (entry_ == kNone || node.layer > nodes_[entry_].layer) entry_ = place;
  for (size_t l = 0; l < chosen.size(); l++) {
    for (const uint32_t to : chosen[l]) add_link(to, place, l);
  }
}

void NeighbourGraph::add_link(uint32_t from, uint32_t to, size_t layer) {
  std::vector<Id>& links = nodes_[from].links[layer];
  if (links.size() < room_for_links(layer)) {
    links.push_back(id_of(to));
    return;
  }
  std::vector<Near> candidates{{distance(*nodes_[from].key, to), to}};
  for (const Id id : links) {
    if (is_live(id)) candidates.push_back({distance(*nodes_[from].key, place_of(id)), place_of(id)});
  }
  replace_links(from, layer, std::move(candidates));
}

void NeighbourGraph::replace_links(uint32_t place, size_t layer, std::vector<Near> candidates) {
  const auto chosen = choose(std::move(candidates), most_links(layer));
  std::vector<Id>& links = nodes_[place].links[layer];
  links.clear();
  for (const uint32_t to : chosen) links.push_back(id_of(to));
}

uint64_t NeighbourGraph::remove(Id id) {
  std::lock_guard alone(lock_);
  if (!is_live(id)) return 0;
  const uint32_t place = place_of(id);
  Node& node = nodes_[place];
  const uint64_t bytes = bytes_of(node);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  by_key_.erase(Bytes(*node.key));
  const auto links = std::move(node.links);
  node.links.clear();
  node.key.reset();
  node.generation++;
  node.linked = false;
  free_.push_back(place);
  for (size_t l = 0; l < links.size(); l++) {
    std::vector<uint32_t> others;
    for (const Id other : links[l]) {
      if (is_live(other)) others.push_back(place_of(other));
    }
    for (const uint32_t other : others) {
      const std::vector<Id>& own = nodes_[other].links[l];
      if (std::find(own.begin(), own.end(), id) == own.end()) continue;
      std::vector<Near> candidates;
      const auto add = [&](uint32_t to) {
        const bool known =
            std::any_of(candidates.begin(), candidates.end(), [&](const Near& c) { return c.place == to; });
        if (to != other && !known) candidates.push_back({distance(*nodes_[other].key, to), to});
      };
      for (const Id to : own) {
        if (is_live(to)) add(place_of(to));
      }
      std::for_each(others.begin(), others.end(), add);
      replace_links(other, l, std::move(candidates));
    }
  }
  if (place == entry_) find_entry();
  return bytes;
}

void NeighbourGraph::find_entry() {
  entry_ = kNone;
  for (uint32_t i = 0; i < nodes_.size(); i++) {
    if (nodes_[i].linked && (entry_ == kNone || nodes_[i].layer > nodes_[entry_].layer)) entry_ = i;
  }
}

// ---- the rest

std::shared_ptr<NeighbourGraph> NeighbourGraph::copy() const {
  auto out = std::make_shared<NeighbourGraph>(shape_);
  std::shared_lock shared(lock_);
  out->nodes_ = nodes_;
  out->free_.reserve(nodes_.size());
  out->free_ = free_;
  out->by_key_ = by_key_;
  out->entry_ = entry_;
  out->bytes_.store(bytes_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return out;
}

std::optional<NeighbourGraph::Id> NeighbourGraph::find(Bytes key) const {
  std::shared_lock shared(lock_);
  const auto known = by_key_.find(key);
  return known == by_key_.end() ? std::nullopt : std::optional<Id>(id_of(known->second));
}

std::optional<std::string> NeighbourGraph::key_of(Id id) const {
  std::shared_lock shared(lock_);
  if (place_of(id) >= nodes_.size() || !is_live(id)) return std::nullopt;
  return *nodes_[place_of(id)].key;
}

size_t NeighbourGraph::size() const {
  std::shared_lock shared(lock_);
  return by_key_.size();
}

std::string NeighbourGraph::check() const {
  std::shared_lock shared(lock_);
  size_t live = 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < nodes_.size(); i++) {
    const Node& node = nodes_[i];
    if (node.key == nullptr) continue;
    live++;
    bytes += bytes_of(node);
    const auto known = by_key_.find(Bytes(*node.key));
    if (known == by_key_.end() || known->second != i) return "a node that its key does not lead to";
    if (node.linked != !node.links.empty() || (node.linked && node.links.size() != size_t{node.layer} + 1))
      return "a node with links of other layers than its own";
    for (size_t l = 0; l < node.links.size(); l++) {
      if (node.links[l].size() > room_for_links(l)) return "a node with too many neighbours";
      for (const Id id : node.links[l]) {
        if (place_of(id) == i && is_live(id)) return "a node that is its own neighbour";
        if (is_live(id) && nodes_[place_of(id)].layer < l) return "a neighbour that is not in the layer";
      }
    }
    if (node.linked && (entry_ == kNone || node.layer > nodes_[entry_].layer)) return "a node above the entry";
  }
  if (live != by_key_.size() || live + free_.size() != nodes_.size()) return "nodes that are neither live nor free";
  if (entry_ != kNone && !nodes_[entry_].linked) return "an entry without links";
  return bytes == bytes_ ? std::string() : "memory is not counted right";
}

// ---- Search

bool NeighbourGraph::Search::visit(uint32_t place) {
  if (place >= visited_.size()) visited_.resize(graph_.nodes_.size());
  if (visited_[place]) return false;
  visited_[place] = true;
  return true;
}

bool NeighbourGraph::Search::gave(Bytes key) const {
  const auto id = graph_.find(key);
  return id && place_of(*id) < given_.size() && given_[place_of(*id)];
}

// Algorithm 2 in the lowest layer. What it meets and does not keep stays in left_, and the next call goes on from there.
bool NeighbourGraph::Search::next(std::vector<std::string>& keys) {
  std::shared_lock shared(graph_.lock_);
  using Met = std::pair<float, Id>;
  const auto push = [&](const Met& met) {
    left_.push_back(met);
    std::push_heap(left_.begin(), left_.end(), std::greater<>());
  };
  if (!begun_) {
    begun_ = true;
    if (graph_.entry_ == kNone || !graph_.fits(target_)) return false;
    const uint32_t first = graph_.descend(target_, 0);
    visit(first);
    push({graph_.distance(target_, first), graph_.id_of(first)});
  }
  FarthestFirst<Met> found;
  std::vector<Met> passed;
  while (!left_.empty()) {
    const Met nearest = left_.front();
    if (found.size() >= wanted_ && nearest.first >= found.top().first) break;
    std::pop_heap(left_.begin(), left_.end(), std::greater<>());
    left_.pop_back();
    if (!graph_.is_live(nearest.second)) continue;
    found.push(nearest);
    if (found.size() > wanted_) {
      passed.push_back(found.top());  // its neighbours have been met
      found.pop();
    }
    for (const Id id : graph_.nodes_[place_of(nearest.second)].links[0]) {
      if (graph_.is_live(id) && visit(place_of(id))) push({graph_.distance(target_, place_of(id)), id});
    }
  }
  std::for_each(passed.begin(), passed.end(), push);
  std::vector<Met> order(found.size());
  for (size_t i = order.size(); i > 0; i--) {
    order[i - 1] = found.top();
    found.pop();
  }
  given_.resize(visited_.size());
  for (const Met& met : order) {
    keys.push_back(*graph_.nodes_[place_of(met.second)].key);
    given_[place_of(met.second)] = true;
  }
  return !order.empty();
}

}  // namespace indigo::storage
