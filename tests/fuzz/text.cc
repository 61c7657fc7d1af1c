// Fuzzes the readers of texts and the vocabulary.
#include <string>
#include <vector>

#include "tests/fuzz/target.h"
#include "trainer/data/text_set.h"
#include "trainer/data/vocabulary.h"

namespace {

using lockstep::TextUnit;
using lockstep::fuzz::must;

void number(const std::vector<std::string>& texts) {
  for (const TextUnit unit : {TextUnit::kByte, TextUnit::kCharacter, TextUnit::kWord}) {
    const auto vocabulary = lockstep::Vocabulary::build(texts, {.unit = unit});
    const lockstep::EncodedTexts encoded(texts, vocabulary, 1 << 20);
    for (std::int64_t i = 0; i < encoded.size(); ++i) {
      for (const std::int32_t id : encoded[i]) must(id > 0 && id < vocabulary.size());
      if (unit != TextUnit::kWord && !texts[i].empty())
        must(vocabulary.decode(encoded[i]) == texts[i]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = lockstep::fuzz::text_of({data, size});
  lockstep::fuzz::may_refuse([&] {
    const auto set = lockstep::parse_labelled_lines(text, "input");
    for (const std::int32_t label : set.labels) {
      must(label >= 0 && label < static_cast<std::int32_t>(set.classes.size()));
    }
    number(set.texts);
  });
  number(lockstep::parse_records(text));
  return 0;
}
