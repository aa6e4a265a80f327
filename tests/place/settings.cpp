// Settings as values: the fields that a change sets, and the fields that it keeps.
#include <placement/place/label.hpp>
#include <placement/place/runtime.hpp>
#include <placement/place/settings.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;
using detail::settings_change;
using detail::settings_word;

namespace {

constexpr settings_word after(settings_change c, std::uint32_t before = 0) {
  return settings_word{c.applied_to(before)};
}

}  // namespace

TEST_CASE("a change sets its own field and keeps the others") {
  std::uint32_t const before = after(settings_change(soft_placement{})
                                         .then(log_level::copies)
                                         .then(log_format::tf1)
                                         .then(transfers::warn))
                                   .bits();
  for (settings_change const c :
       {settings_change(hard_placement{}), settings_change(log_level::all),
        settings_change(log_format::tf2), settings_change(transfers::refuse)}) {
    settings_word const now = after(c, before);
    settings_word const was{before};
    int const changed = (now.soft() != was.soft()) + (now.level() != was.level()) +
                        (now.format() != was.format()) + (now.moves() != was.moves());
    CHECK(changed == 1);
  }
}

TEST_CASE("each value of each setting is stored") {
  for (auto l : {log_level::off, log_level::fallback, log_level::copies, log_level::all})
    CHECK(after(l, ~0u).level() == l);
  for (auto f : {log_format::native, log_format::tf2, log_format::tf1, log_format::tf1_graph})
    CHECK(after(f, ~0u).format() == f);
  for (auto t : {transfers::silent, transfers::warn, transfers::refuse})
    CHECK(after(t, ~0u).moves() == t);
  CHECK(after(soft_placement{true}).soft());
  CHECK_FALSE(after(soft_placement{false}, ~0u).soft());
  CHECK_FALSE(after(hard_placement{}, ~0u).soft());
  CHECK(after(log_placement{}).level() == log_level::all);
  CHECK(after(log_placement{false}, ~0u).level() == log_level::fallback);
}

TEST_CASE("of two changes of one field the later one wins") {
  settings_change const both =
      settings_change(log_level::all).then(hard_placement{}).then(log_level::off);
  CHECK(after(both, ~0u).level() == log_level::off);
  CHECK_FALSE(after(both, ~0u).soft());
  CHECK(settings_change{}.applied_to(42) == 42);
}

TEST_CASE(
    "the process starts with soft placement, fallback level, native format and silent transfers") {
  settings_word const start = detail::settings_of_process();
  CHECK(start.soft());
  CHECK(start.level() == log_level::fallback);
  CHECK(start.format() == log_format::native);
  CHECK(start.moves() == transfers::silent);
}

TEST_CASE("a runtime changes its settings for the whole process, and keeps the others") {
  runtime const first{hard_placement{}, log_placement{}, log_format::tf2, transfers::refuse};
  settings_word now = detail::settings_of_process();
  CHECK_FALSE(now.soft());
  CHECK(now.level() == log_level::all);
  CHECK(now.format() == log_format::tf2);
  CHECK(now.moves() == transfers::refuse);

  runtime const second{soft_placement{}, log_level::copies};
  now = detail::settings_of_process();
  CHECK(now.soft());
  CHECK(now.level() == log_level::copies);
  CHECK(now.format() == log_format::tf2);
  CHECK(now.moves() == transfers::refuse);
}

TEST_CASE("equal texts have the same label, and the text of a label stays valid") {
  label const a = label_of("settings.cpp a"), b = label_of("settings.cpp b");
  CHECK(a != b);
  CHECK(label_of(std::string("settings.cpp ") + "a") == a);
  CHECK(to_string(a) == "settings.cpp a");
  CHECK(to_string(label::none).empty());
}
