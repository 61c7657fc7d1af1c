// The log: one JSON object a line on standard error, with a constant message and keys that can be
// searched.
//   log::info("job restarts", {{"job", name}, {"attempt", 2}});
//   {"time":"2026-01-02T03:04:05.678Z","level":"info","message":"job
//   restarts","job":"fashion","attempt":2}
// Threads: every function may be called from any thread; a line is written whole.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

namespace lockstep::log {

enum class Level { kDebug, kInfo, kWarning, kError };

using Fields = std::initializer_list<std::pair<std::string_view, nlohmann::json>>;

void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warning(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

// Lines below the level are dropped. The level starts at info.
void set_level(Level level);

// "debug", "info", "warning" or "error"; nullopt for anything else.
std::optional<Level> parse_level(std::string_view name);

// Sends all further lines to `stream`, which must outlive them. For tests: only before other
// threads log.
void set_stream(std::ostream& stream);

}  // namespace lockstep::log
