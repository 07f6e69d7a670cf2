// Answers of one state of the catalog. Each look-up sees the newest committed definitions, so that several of them may see what
// another session commits meanwhile in part: a view, and no longer the table that it reads. An error that may come of that is no
// answer yet.
// Thread safety: as the view.
#pragma once

#include <chrono>

#include "base/fiber/wait_point.h"
#include "base/raised_error.h"
#include "catalog/descriptor/catalog_view.h"

namespace indigo::catalog {

// f(), which answers a Result or a Status and changes nothing, asked again where it has failed and definitions have been committed
// meanwhile. One that fails for good answers its last error.
template <class F>
auto settled(const CatalogView& catalog, F&& f) -> decltype(f()) {
  constexpr int kMostTries = 20;
  constexpr auto kMoment = std::chrono::milliseconds(1);
  for (int tries = 1;; tries++) {
    const uint64_t version = catalog.version();
    auto made = catch_raised(f);
    if (made.ok() || tries == kMostTries) return made;
    if (catalog.version() != version) continue;
    // A version is told a moment after what it stands for.
    if (!made.error().state.text().starts_with("XX")) return made;
    WaitPoint nothing;
    if (nothing.wait([] { return false; }, Clock::now() + kMoment) == WaitResult::kInterrupted) return made;
  }
}

}  // namespace indigo::catalog
