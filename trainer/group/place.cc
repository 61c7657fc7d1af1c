// Reads the place of this process from environment variables.
#include "trainer/group/place.h"

#include <charconv>
#include <climits>
#include <cstdlib>
#include <stdexcept>

#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr int kMaxWorldSize = 1 << 20;

int number(const Environment& environment, const char* name, int low, int high,
           std::optional<int> absent = std::nullopt) {
  const std::optional<std::string> text = environment(name);
  if (!text && absent) return *absent;
  if (!text) {
    throw std::invalid_argument(std::string("environment variable ") + name +
                                " is not set although others of its kind are: start the program "
                                "with lockstep-launch or torchrun, or set all of RANK, WORLD_SIZE, "
                                "LOCAL_RANK, MASTER_ADDR and MASTER_PORT");
  }
  int value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || rest != end || value < low || value > high) {
    throw std::invalid_argument(std::string("environment variable ") + name + " is \"" + *text +
                                "\": it must be a number from " + std::to_string(low) + " to " +
                                std::to_string(high));
  }
  return value;
}

std::string attempt_key(const Place& place, const Environment& environment) {
  if (!place.job_uid.empty()) return place.job_uid + "/" + std::to_string(place.attempt);
  return environment("TORCHELASTIC_RUN_ID").value_or("none") + "/" +
         environment("TORCHELASTIC_RESTART_COUNT").value_or("0");
}

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

Place place_in(const Environment& environment) {
  Place place;
  place.job_uid = environment(contract::kJobUid).value_or("");
  place.attempt = number(environment, contract::kAttempt, 0, INT_MAX, 0);
  if (!environment(contract::kRank) && !environment(contract::kWorldSize)) return place;
  place.world_size = number(environment, contract::kWorldSize, 1, kMaxWorldSize);
  place.rank = number(environment, contract::kRank, 0, place.world_size - 1);
  place.local_rank = number(environment, contract::kLocalRank, 0, place.world_size - 1, 0);
  if (place.world_size == 1) return place;

  place.master_address = environment(contract::kMasterAddr).value_or("");
  if (place.master_address.empty()) {
    throw std::invalid_argument(
        "environment variable MASTER_ADDR is not set: name the host of rank 0, 127.0.0.1 for "
        "processes of one machine");
  }
  place.master_port =
      number(environment, contract::kMasterPort, 1, 65535, contract::kDefaultMasterPort);
  place.store_is_hosted = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  place.attempt_key = attempt_key(place, environment);
  place.startup = std::chrono::seconds(number(environment, contract::kStartupSeconds, 1, INT_MAX,
                                              static_cast<int>(place.startup.count())));
  return place;
}

}  // namespace lockstep
