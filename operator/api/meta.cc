// Object metadata and the time format of the Kubernetes API.
#include "operator/api/meta.h"

#include <cctype>
#include <cstdio>

#include "operator/api/fields.h"

namespace lockstep {
namespace {

// The milliseconds of ".123456"; leaves `at` behind the digits.
std::chrono::milliseconds parse_fraction(const char*& at) {
  int milliseconds = 0;
  if (*at != '.') return std::chrono::milliseconds(0);
  ++at;
  for (int weight = 100; std::isdigit(static_cast<unsigned char>(*at)); ++at, weight /= 10) {
    milliseconds += weight * (*at - '0');
  }
  return std::chrono::milliseconds(milliseconds);
}

}  // namespace

std::string format_time(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

std::optional<Time> parse_time(const std::string& text) {
  int year = 0, hour = 0, minute = 0, second = 0, length = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &length) != 6) {
    return std::nullopt;
  }
  const char* at = text.c_str() + length;
  const auto fraction = parse_fraction(at);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  const bool is_valid = date.ok() && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 &&
                        second >= 0 && second <= 60 && std::string_view(at) == "Z";
  if (!is_valid) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + fraction;
}

Result<ObjectMeta> parse_meta(const nlohmann::json& object) {
  const nlohmann::json& source = fields::member(object, "metadata");
  ObjectMeta meta;
  meta.namespace_ = fields::text(source, "namespace");
  meta.name = fields::text(source, "name");
  meta.uid = fields::text(source, "uid");
  meta.resource_version = fields::text(source, "resourceVersion");
  meta.generation = fields::integer(source, "generation");
  meta.labels = fields::text_map(source, "labels");
  meta.annotations = fields::text_map(source, "annotations");
  meta.creation_time = fields::time(source, "creationTimestamp");
  meta.deletion_time = fields::time(source, "deletionTimestamp");
  meta.deletion_grace_seconds = fields::optional_integer(source, "deletionGracePeriodSeconds");
  for (const nlohmann::json& owner : fields::list(source, "ownerReferences")) {
    if (fields::flag(owner, "controller")) meta.controller_uid = fields::text(owner, "uid");
  }
  if (meta.name.empty() || meta.uid.empty()) {
    return failure(Kind::kInvalid, "the object has no metadata.name or no metadata.uid");
  }
  return meta;
}

}  // namespace lockstep
