// JSON lines through one spdlog logger, which writes each line whole and drops those below the
// level.
#include "operator/base/log.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>

namespace lockstep::log {
namespace {

constexpr std::pair<std::string_view, Level> kLevels[] = {{"debug", Level::kDebug},
                                                          {"info", Level::kInfo},
                                                          {"warning", Level::kWarning},
                                                          {"error", Level::kError}};

std::shared_ptr<spdlog::logger> make_logger(std::ostream& stream) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(stream, /*force_flush=*/true);
  sink->set_pattern("%v");
  auto logger = std::make_shared<spdlog::logger>("lockstep", std::move(sink));
  logger->set_level(spdlog::level::info);
  return logger;
}

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance = make_logger(std::cerr);
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string timestamp() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto milliseconds = (now.time_since_epoch() % std::chrono::seconds(1)).count();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     milliseconds);
}

void write(Level level, std::string_view message, Fields fields) {
  if (!logger()->should_log(to_spdlog(level))) return;
  nlohmann::ordered_json line;
  line["time"] = timestamp();
  line["level"] = kLevels[static_cast<int>(level)].first;
  line["message"] = message;
  for (const auto& [key, value] : fields) line[std::string(key)] = value;
  // Foreign bytes (a pod's last words) must not stop a line: invalid UTF-8 is replaced.
  logger()->log(to_spdlog(level),
                line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void debug(std::string_view message, Fields fields) { write(Level::kDebug, message, fields); }
void info(std::string_view message, Fields fields) { write(Level::kInfo, message, fields); }
void warning(std::string_view message, Fields fields) { write(Level::kWarning, message, fields); }
void error(std::string_view message, Fields fields) { write(Level::kError, message, fields); }

void set_level(Level level) { logger()->set_level(to_spdlog(level)); }

std::optional<Level> parse_level(std::string_view name) {
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

void set_stream(std::ostream& stream) {
  const auto level = logger()->level();
  logger() = make_logger(stream);
  logger()->set_level(level);
}

}  // namespace lockstep::log
