// A list of one object tells both whether a kind is served and whether we may read it.
#include "operator/discovery.h"

#include "operator/api/names.h"

namespace lockstep {

Result<std::optional<Resource>> first_served(Client& client, std::span<const Resource> kinds,
                                             const std::string& namespace_, std::stop_token stop) {
  const ListOptions options{
      .namespace_ = namespace_, .label_selector = names::kJobName, .limit = 1};
  for (const Resource& kind : kinds) {
    const auto page = client.list(
        kind, options, [](const nlohmann::json&) -> Result<void> { return {}; }, stop);
    if (page) return kind;
    const bool is_answer =
        page.error().kind == Kind::kNotFound || page.error().kind == Kind::kForbidden;
    if (!is_answer) return tl::unexpected(page.error());
  }
  return std::nullopt;
}

}  // namespace lockstep
