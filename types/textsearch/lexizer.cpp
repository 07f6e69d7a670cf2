#include "types/textsearch/lexizer.h"

namespace indigo::types {

void Lexizer::finish(size_t tokens) {
  for (size_t i = 0; i < tokens && !waiting_.empty(); i++) {
    done_.push_back(waiting_.front());
    waiting_.pop_front();
  }
  step_ = 0;
}

Normals Lexizer::next() {
  for (;;) {
    const std::optional<Normals> answer = reading_ == nullptr ? first_word() : following_words();
    if (answer) return *answer;
  }
}

// An answer; or none, when another turn is to be made.
std::optional<Normals> Lexizer::first_word() {
  while (!waiting_.empty()) {
    const Token& token = waiting_.front();
    const auto& steps = configuration_.steps[static_cast<size_t>(token.type)];
    Str word = token.text;
    std::string filtered;
    for (size_t i = token.type == TokenType::kNone ? steps.size() : step_; i < steps.size(); i++) {
      state_ = {};
      Normals normals = steps[i].dictionary->lexize(word, state_);
      if (state_.wants_next) {
        reading_ = &steps[i];
        step_ = i + 1;
        read_ = 1;
        if (normals) {
          found_ = std::move(normals);
          found_at_ = 1;
        }
        return std::nullopt;
      }
      if (!normals) continue;
      if (!normals->empty() && (*normals)[0].filter) {
        filtered = std::move((*normals)[0].word);
        word = filtered;
        continue;
      }
      finish(1);
      return normals;
    }
    finish(1);
  }
  return Normals();
}

std::optional<Normals> Lexizer::following_words() {
  while (read_ < waiting_.size()) {
    const Token& token = waiting_[read_];
    if (token.type != TokenType::kNone) {
      const auto& steps = configuration_.steps[static_cast<size_t>(token.type)];
      if (steps.empty()) {
        read_++;
        continue;
      }
      bool reads = false;
      for (const auto& step : steps) reads = reads || step.oid == reading_->oid;
      if (!reads) {
        reading_ = nullptr;
        return std::nullopt;
      }
    }
    state_.at_end = token.type == TokenType::kNone;
    state_.wants_next = false;
    Normals normals = reading_->dictionary->lexize(token.text, state_);
    if (state_.wants_next) {
      read_++;
      if (normals) {
        found_ = std::move(normals);
        found_at_ = read_;
      }
      continue;
    }
    reading_ = nullptr;
    if (!normals && !found_) return std::nullopt;
    if (normals) {
      found_.reset();
      finish(read_ + 1);
      return normals;
    }
    normals = std::exchange(found_, std::nullopt);
    finish(found_at_);
    return normals;
  }
  return Normals();
}

}  // namespace indigo::types
