// The name is only made when somebody listens.
#include "trainer/speed/span.h"

#include <string_view>

#include "trainer/torch.h"

namespace lockstep {

Span::Span(const char* name) {
  if (record_.isActive()) record_.before(std::string_view(name_ = name));
}

Span::Span(const char* name, std::int64_t number) {
  if (!record_.isActive()) return;
  name_ = c10::str(name, " ", number);
  record_.before(std::string_view(name_));
}

}  // namespace lockstep
