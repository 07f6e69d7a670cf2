// Statements put together wrongly: pieces of the recorded statements, cut and joined at random, give a query or an error with a
// SQLSTATE, never a crash. Prints its seed.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/sql/analyze_harness.h"

namespace indigo::sql::testing {
namespace {

std::vector<std::vector<std::string>> statements() {
  std::vector<std::vector<std::string>> out;
  for (const auto& f : std::filesystem::directory_iterator("tests/unit/sql/analysis")) {
    if (f.path().extension() != ".statements" || f.path().stem() == "psql") continue;
    std::ifstream file(f.path());
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::vector<std::string> words;
      // Words, numbers and strings; runs of operator characters; single brackets and commas.
      const auto kind_of = [](char c) {
        if (isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || c == '.' || c == '$') return 1;
        return std::string_view("+-*/<>=~!@#%^&|:?").find(c) != std::string_view::npos ? 2 : 3;
      };
      for (size_t at = 0; at < line.size();) {
        size_t end = at + 1;
        const int kind = kind_of(line[at]);
        while (kind != 3 && end < line.size() && kind_of(line[end]) == kind) end++;
        if (line[at] != ' ') words.push_back(line.substr(at, end - at));
        at = end;
      }
      out.push_back(std::move(words));
    }
  }
  return out;
}

TEST(AnalyzeRobustness, RandomStatementsNeverCrash) {
  const char* given = std::getenv("INDIGO_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  const char* rounds_text = std::getenv("INDIGO_ROUNDS");
  const int rounds = rounds_text ? std::atoi(rounds_text) : 3000;
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto all = statements();
  ASSERT_FALSE(all.empty());
  Harness harness;
  int analyzed = 0;
  for (int i = 0; i < rounds; i++) {
    auto words = all[random() % all.size()];
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < changes && !words.empty(); k++) {
      const auto& other = all[random() % all.size()];
      const size_t at = random() % words.size();
      // Mostly a word for one of its kind, which parses more often.
      const std::string& candidate = other[random() % other.size()];
      if (random() % 4 != 0) {
        if (isalpha(static_cast<unsigned char>(candidate[0])) == isalpha(static_cast<unsigned char>(words[at][0])) &&
            isdigit(static_cast<unsigned char>(candidate[0])) == isdigit(static_cast<unsigned char>(words[at][0])) &&
            (candidate.size() > 1) == (words[at].size() > 1)) {
          words[at] = candidate;
        }
        continue;
      }
      switch (random() % 3) {
        case 0: words[at] = other[random() % other.size()]; break;
        case 1: words.erase(words.begin() + static_cast<ptrdiff_t>(at)); break;
        default: {
          const size_t from = random() % other.size(), to = from + random() % (other.size() - from) + 1;
          words.insert(words.begin() + static_cast<ptrdiff_t>(at), other.begin() + static_cast<ptrdiff_t>(from),
                       other.begin() + static_cast<ptrdiff_t>(to));
        }
      }
    }
    std::string text;
    for (const std::string& w : words) text += w + " ";
    if (std::getenv("INDIGO_SHOW")) std::cerr << text << std::endl;
    auto answer = harness.analyze(text);
    analyzed += answer.ok();
    if (!answer.ok()) {
      EXPECT_NE(answer.error().state.text(), "XX000") << text << ": " << answer.error().message;
    }
  }
  std::cout << analyzed << " of " << rounds << " analyzed\n";
}

TEST(AnalyzeRobustness, DeepExpressionsEndIn54001) {
  Harness harness;
  std::string chain = "select 1", nested = "1";
  for (int i = 0; i < 9000; i++) chain += "+1";
  for (int i = 0; i < 3000; i++) nested = "abs(" + nested + ")";
  for (const std::string& text : {chain, "select " + nested}) {
    auto answer = harness.analyze(text);
    if (!answer.ok()) {
      EXPECT_EQ(answer.error().state.text(), "54001");
    }
  }
}

}  // namespace
}  // namespace indigo::sql::testing
