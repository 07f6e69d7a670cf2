#include "storage/index/hnsw/neighbour_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>

#include "base/memory/memory_reserve.h"

namespace indigo::storage {

// ---- what is known of keys

// Of a key it is always the same: a random number with the paper's distribution.
uint8_t NeighbourGraph::layer_for(Bytes key) const {
  uint64_t x = std::hash<Bytes>()(key) * 0x9e3779b97f4a7c15ULL;
  x ^= x >> 32;
  const double uniform = (static_cast<double>(x >> 11) + 1) * 0x1p-53;
  const double layer = -std::log(uniform) / std::log(std::max<double>(shape_.degree, 2));
  return static_cast<uint8_t>(std::min<double>(layer, kHighestLayer));
}

bool NeighbourGraph::fits(Bytes key) const {
  const Bytes vector = key.empty() ? key : key.substr(1);
  return entry_ == kNone ? is_vector_key(vector) : are_comparable(vector, nodes_[entry_].key.vector());
}

uint64_t NeighbourGraph::bytes_of(const Node& node) const {
  uint64_t bytes = sizeof(Node) + node.key.allocated_bytes() + 4 * sizeof(void*);
  bytes += sizeof(std::pair<Bytes, uint32_t>) + 3 * sizeof(void*);  // in by_key_
  for (size_t l = 0; l < node.links.size(); l++) bytes += sizeof(std::vector<Id>) + room_for_links(l) * sizeof(Id);
  return bytes;
}

// ---- searching

template <class Condition>
void NeighbourGraph::measure_neighbours(const DistanceFrom& target, uint32_t place, size_t layer,
                                        std::vector<Near>& met, const Condition& is_new) const {
  constexpr size_t kAhead = 3;  // vectors on their way
  const std::vector<Id>& links = nodes_[place].links[layer];
  for (const Id id : links) __builtin_prefetch(&nodes_[place_of(id)]);
  met.clear();
  for (const Id id : links) {
    if (!is_live(id) || !is_new(place_of(id))) continue;
    if (met.size() < kAhead) key_at(id).prefetch_image();
    met.push_back({0, id});
  }
  for (size_t i = 0; i < met.size(); i++) {
    if (i + kAhead < met.size()) key_at(met[i + kAhead].id).prefetch_image();
    met[i].distance = target.to(key_at(met[i].id).image());
  }
}

// The nearest node that a walk downhill finds in the layers above.
NeighbourGraph::Near NeighbourGraph::descend(const DistanceFrom& target, uint8_t to_layer) const {
  Near at{target.to(nodes_[entry_].key.image()), id_of(entry_)};
  std::vector<Near> met;
  for (size_t layer = nodes_[entry_].layer; layer > to_layer; layer--) {
    for (bool moved = true; moved;) {
      measure_neighbours(target, place_of(at.id), layer, met, [](uint32_t) { return true; });
      const auto nearest = std::min_element(met.begin(), met.end());
      moved = nearest != met.end() && nearest->distance < at.distance;
      if (moved) at = *nearest;
    }
  }
  return at;
}

void NeighbourGraph::begin(Walk& walk, Near first, size_t places) {
  walk.visited.assign(places, false);
  walk.visited[place_of(first.id)] = true;
  walk.left.assign(1, first);
}

// Algorithm 2: the nearest `wanted` of those that are reached, in their order. What was met and is farther stays in walk.left, from
// where the next call goes on: a node that is expanded twice has no new neighbours.
std::vector<NeighbourGraph::Near> NeighbourGraph::search_layer(const DistanceFrom& target, size_t layer, size_t wanted,
                                                               Walk& walk) const {
  std::vector<Near> found;     // a heap, the farthest in front
  std::vector<Near> next;      // a heap, the nearest in front: not expanded
  std::vector<Near> expanded;  // among them all that are found, in the end
  std::vector<Near> farther;
  const auto meet = [&](const Near& met) {
    if (found.size() == wanted) {
      if (!(met < found.front())) return farther.push_back(met);
      std::pop_heap(found.begin(), found.end());
      found.pop_back();
    }
    found.push_back(met);
    std::push_heap(found.begin(), found.end());
    next.push_back(met);
    std::push_heap(next.begin(), next.end(), std::greater<>());
  };
  for (const Near& left : walk.left) {
    if (is_live(left.id)) meet(left);
  }
  std::vector<Near> met;
  while (!next.empty() && !(found.front() < next.front())) {
    const Near nearest = next.front();
    std::pop_heap(next.begin(), next.end(), std::greater<>());
    next.pop_back();
    expanded.push_back(nearest);
    measure_neighbours(target, place_of(nearest.id), layer, met,
                       [&](uint32_t place) { return !walk.visited[place] && (walk.visited[place] = true); });
    std::for_each(met.begin(), met.end(), meet);
  }
  walk.left = std::move(farther);
  walk.left.insert(walk.left.end(), next.begin(), next.end());
  std::copy_if(expanded.begin(), expanded.end(), std::back_inserter(walk.left),
               [&](const Near& e) { return found.front() < e; });
  std::sort_heap(found.begin(), found.end());
  return found;
}

// Algorithm 4: those that are nearer to the new node than to one that was chosen before; then, as long as there is room, others.
std::vector<NeighbourGraph::Id> NeighbourGraph::choose(std::vector<Near> candidates, size_t most) const {
  std::sort(candidates.begin(), candidates.end());
  std::vector<Id> out, others;
  for (const Near& c : candidates) {
    if (out.size() == most) break;
    const DistanceFrom candidate(key_at(c.id).vector());
    const bool good = std::all_of(out.begin(), out.end(),
                                  [&](Id chosen) { return candidate.to(key_at(chosen).image()) >= c.distance; });
    (good ? out : others).push_back(c.id);
  }
  for (size_t i = 0; i < others.size() && out.size() < most; i++) out.push_back(others[i]);
  return out;
}

// By layer, from the lowest to the node's own.
std::vector<std::vector<NeighbourGraph::Id>> NeighbourGraph::neighbours_for(Bytes key, uint8_t layer) const {
  std::vector<std::vector<Id>> out(size_t{layer} + 1);
  if (entry_ == kNone) return out;
  const DistanceFrom target(key.substr(1));
  const uint8_t highest = nodes_[entry_].layer;
  Near from = descend(target, layer);
  Walk walk;
  for (size_t l = std::min(layer, highest) + size_t{1}; l-- > 0;) {
    begin(walk, from, nodes_.size());
    std::vector<Near> met = search_layer(target, l, shape_.candidates, walk);
    from = met.front();
    out[l] = choose(std::move(met), most_links(l));
  }
  return out;
}

// ---- changing

// Takes a free place for the key, all or nothing.
uint32_t NeighbourGraph::new_place(NodeKey key, uint8_t layer) {
  if (free_.empty()) {
    free_.reserve(nodes_.size() + 1);  // remove() needs no memory for it
    nodes_.emplace_back();
    free_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
  }
  const uint32_t place = free_.back();
  by_key_.emplace(key.bytes(), place);
  free_.pop_back();
  Node& node = nodes_[place];
  node.key = std::move(key);
  node.layer = layer;
  node.linked = false;
  return place;
}

NeighbourGraph::Added NeighbourGraph::add(Bytes key) {
  if (const auto known = find(key)) return {*known, 0};
  const uint8_t layer = layer_for(key);
  NodeKey kept(key);
  std::vector<std::vector<Id>> chosen;
  {
    std::shared_lock shared(lock_);
    if (entry_ != kNone && fits(key)) chosen = neighbours_for(kept.bytes(), layer);
  }
  std::lock_guard alone(lock_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return {id_of(known->second), 0};
  const uint32_t place = new_place(std::move(kept), layer);
  const MustNotFail no_failure;  // half a node's links, and bytes that nobody counts
  if (fits(key)) {
    // What was chosen may have gone; where nothing is left of it, or there was nothing yet, it is chosen now.
    for (auto& of_layer : chosen)
      std::erase_if(of_layer, [&](Id id) { return !is_live(id) || !nodes_[place_of(id)].linked; });
    if (entry_ != kNone && (chosen.empty() || chosen[0].empty()))
      chosen = neighbours_for(nodes_[place].key.bytes(), layer);
    chosen.resize(size_t{layer} + 1);
    link(place, chosen);
  }
  const uint64_t bytes = bytes_of(nodes_[place]);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return {id_of(place), bytes};
}

void NeighbourGraph::link(uint32_t place, const std::vector<std::vector<Id>>& chosen) {
  std::vector<std::vector<Id>> links(chosen.size());
  for (size_t l = 0; l < chosen.size(); l++) {
    links[l].reserve(room_for_links(l));
    links[l] = chosen[l];
  }
  Node& node = nodes_[place];
  node.links = std::move(links);
  node.linked = true;
  if (entry_ == kNone || node.layer > nodes_[entry_].layer) entry_ = place;
  for (size_t l = 0; l < chosen.size(); l++) {
    for (const Id to : chosen[l]) add_link(place_of(to), id_of(place), l);
  }
}

void NeighbourGraph::add_link(uint32_t from, Id to, size_t layer) {
  std::vector<Id>& links = nodes_[from].links[layer];
  if (links.size() < room_for_links(layer)) {
    links.push_back(to);
    return;
  }
  const DistanceFrom own(nodes_[from].key.vector());
  std::vector<Near> candidates{{own.to(key_at(to).image()), to}};
  for (const Id id : links) {
    if (is_live(id)) candidates.push_back({own.to(key_at(id).image()), id});
  }
  replace_links(from, layer, std::move(candidates));
}

void NeighbourGraph::replace_links(uint32_t place, size_t layer, std::vector<Near> candidates) {
  const auto chosen = choose(std::move(candidates), most_links(layer));
  std::vector<Id>& links = nodes_[place].links[layer];
  links.assign(chosen.begin(), chosen.end());  // in the room that they have
}

uint64_t NeighbourGraph::remove(Id id) {
  std::lock_guard alone(lock_);
  if (!is_live(id)) return 0;
  const uint32_t place = place_of(id);
  Node& node = nodes_[place];
  const uint64_t bytes = bytes_of(node);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  by_key_.erase(node.key.bytes());
  const auto links = std::move(node.links);
  node.links.clear();
  node.key = NodeKey();
  node.generation++;
  node.linked = false;
  free_.push_back(place);
  for (size_t l = 0; l < links.size(); l++) {
    std::vector<Id> others;
    std::copy_if(links[l].begin(), links[l].end(), std::back_inserter(others),
                 [&](Id other) { return is_live(other); });
    for (const Id other : others) {
      const std::vector<Id>& own = nodes_[place_of(other)].links[l];
      if (std::find(own.begin(), own.end(), id) == own.end()) continue;
      const DistanceFrom from(key_at(other).vector());
      std::vector<Near> candidates;
      const auto add = [&](Id to) {
        const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Near& c) { return c.id == to; });
        if (to != other && is_live(to) && !known) candidates.push_back({from.to(key_at(to).image()), to});
      };
      std::for_each(own.begin(), own.end(), add);
      std::for_each(others.begin(), others.end(), add);
      replace_links(place_of(other), l, std::move(candidates));
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

NodeKey NeighbourGraph::key_of(Id id) const {
  std::shared_lock shared(lock_);
  return place_of(id) < nodes_.size() && is_live(id) ? key_at(id) : NodeKey();
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
    if (node.key.empty()) continue;
    live++;
    bytes += bytes_of(node);
    const auto known = by_key_.find(node.key.bytes());
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

bool NeighbourGraph::Search::gave(Bytes key) const {
  const auto id = graph_.find(key);
  return id && place_of(*id) < given_.size() && given_[place_of(*id)];
}

bool NeighbourGraph::Search::next(std::vector<Found>& nodes) {
  std::shared_lock shared(graph_.lock_);
  if (!begun_) {
    if (graph_.entry_ == kNone || !graph_.fits(target_.bytes())) return false;
    begin(walk_, graph_.descend(DistanceFrom(target_.vector()), 0), graph_.nodes_.size());
    begun_ = true;
  }
  walk_.visited.resize(graph_.nodes_.size());
  given_.resize(graph_.nodes_.size());
  const std::vector<Near> found = graph_.search_layer(DistanceFrom(target_.vector()), 0, wanted_, walk_);
  for (const Near& near : found) {
    nodes.push_back({near.id, graph_.key_at(near.id)});
    given_[place_of(near.id)] = true;
  }
  return !found.empty();
}

}  // namespace indigo::storage
