// Calls of libxml2 that end early: by a limit, for memory, by an interrupt within the library; the next one works.
#include "types/xml/libxml_call.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlmemory.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fiber/long_work.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "types/xml/xml_document.h"
#include "types/xml/xpath.h"

namespace indigo::types {
namespace {

constexpr char kDocument[] = "<a><b c='d'>text</b></a>";

xmlDoc* read() {
  return xmlReadMemory(kDocument, static_cast<int>(sizeof kDocument - 1), nullptr, nullptr, XML_PARSE_NONET);
}

bool reads(bool apart) {
  bool read_it = false;
  const Status status = with_libxml(
      [&]() -> Status {
        read_it = libxml(read) != nullptr;  // and frees it nowhere
        return {};
      },
      apart);
  return status.ok() && read_it;
}

TEST(LibxmlCall, ReadsInTheThreadAndApart) {
  EXPECT_TRUE(reads(false));
  EXPECT_TRUE(reads(true));
}

TEST(LibxmlCall, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++) {
    threads.emplace_back([i] {
      for (int n = 0; n < 50; n++) EXPECT_TRUE(reads((i + n) % 5 == 0));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(LibxmlCall, TooMuchMemoryIsAnException) {
  for (const bool apart : {false, true}) {
    const auto ask = [&] {
      return with_libxml(
          [&]() -> Status {
            for (;;) libxml([] { return xmlMalloc(size_t{1} << 28); });
          },
          apart);
    };
    EXPECT_THROW((void)ask(), std::bad_alloc);
    EXPECT_TRUE(reads(apart));
  }
}

TEST(LibxmlCall, ALimitIsAnError) {
  for (const bool apart : {false, true}) {
    const Status status = with_libxml(
        []() -> Status {
          libxml([] {
            read();
            leave_libxml("too much of it");
          });
          return {};
        },
        apart);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().state, sqlstate::kProgramLimitExceeded);
    EXPECT_EQ(status.error().message, "too much of it");
    EXPECT_TRUE(reads(apart));
  }
}

// Interrupts the statement of this thread meanwhile.
void expect_interrupted(const std::function<Status()>& f, bool apart, int after_ms = 30) {
  Waiter& waiter = Waiter::current();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    waiter.interrupt(InterruptReason::kCancel);
  });
  EXPECT_THROW((void)with_libxml(f, apart), InterruptedWork);
  canceller.join();
  waiter.clear_interrupt();
  EXPECT_TRUE(reads(apart));
}

TEST(LibxmlCall, AnInterruptEndsWhatAllocates) {
  const auto f = []() -> Status {
    libxml([] {
      for (;;) xmlFreeDoc(read());
    });
    return {};
  };
  expect_interrupted(f, false);
  expect_interrupted(f, true);
}

TEST(LibxmlCall, AnInterruptEndsALoopApart) {
  for (int i = 0; i < 5; i++) {
    expect_interrupted(
        []() -> Status {
          const std::string held(1000, 'x');  // is freed, too
          libxml([] {
            // An atomic, so that no compiler takes the loop for one that ends.
            for (std::atomic<uint64_t> n = 0;;) n.fetch_add(1, std::memory_order_relaxed);
          });
          return held.empty() ? Status() : Status();
        },
        true);
  }
}

TEST(LibxmlCall, AnInterruptEndsSetsOfNodesThatAreCompared) {
  std::string text = "<a>";
  for (int i = 0; i < 100'000; i++) text += "<b>" + std::to_string(i) + "</b><c>x" + std::to_string(i) + "</c>";
  text += "</a>";
  for (int i = 0; i < 3; i++) {
    expect_interrupted(
        [&]() -> Status {
          std::vector<std::string> warnings;
          const XmlErrors errors(true, warnings);
          XPathDocument document(errors);
          INDIGO_TRY(document.open(text));
          INDIGO_ASSIGN(xmlXPathCompExpr* const path, document.compile("//b = //c", sqlstate::kInternalError));
          INDIGO_ASSIGN(const xmlXPathObject* found, document.evaluate(*path, nullptr));
          return found == nullptr ? Status() : Status();
        },
        true, 400);
  }
}

}  // namespace
}  // namespace indigo::types
