// Labelled texts, and long texts cut into windows. Vocabularies come from training texts alone.
#include <optional>

#include "trainer/batches/sources.h"
#include "trainer/batches/subset.h"
#include "trainer/batches/text_sets.h"
#include "trainer/data/bytes.h"
#include "trainer/data/sample_random.h"
#include "trainer/data/text_set.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kLongestText = std::uint64_t{1} << 30;

VocabularyRules rules_of(const DataConfig& data) {
  const TextUnit unit = data.unit == "byte"        ? TextUnit::kByte
                        : data.unit == "character" ? TextUnit::kCharacter
                                                   : TextUnit::kWord;
  return {unit, data.min_count, data.vocabulary};
}

TextSet read_texts(const SourceConfig& source, const std::vector<std::string>& classes) {
  if (source.format == "lines") return read_labelled_lines(source.path, classes);
  TextSet set = read_record_files(source.path);
  if (!classes.empty() && set.classes != classes) {
    throw BadData("data.val.path " + source.path + " has files of other names than data.train");
  }
  return set;
}

// The texts that are held out, or the others.
TextSet part_of(const TextSet& all, bool is_held, const Config& config) {
  TextSet part{.classes = all.classes, .texts = {}, .labels = {}};
  for (std::int64_t i = 0; i < all.size(); ++i) {
    if (is_held_out(config.seed, i, config.data.holdout) != is_held) continue;
    part.texts.push_back(all.texts[i]);
    part.labels.push_back(all.labels[i]);
  }
  require_samples(part.size(), all.size());
  return part;
}

std::unique_ptr<Dataset> encoded(const TextSet& set, const Vocabulary& vocabulary,
                                 const DataConfig& data, std::int64_t classes) {
  return std::make_unique<LabelledTexts>(EncodedTexts(set.texts, vocabulary, data.longest),
                                         set.labels, vocabulary.size(), classes, set.identity());
}

std::int64_t start_of_held(std::int64_t size, double holdout) {
  return size - static_cast<std::int64_t>(static_cast<double>(size) * holdout);
}

Tokens encoded_text(const std::string& text, const Vocabulary& vocabulary) {
  const std::vector<std::int32_t> ids = vocabulary.encode(text);
  return Tokens(std::vector<std::uint32_t>(ids.begin(), ids.end()));
}

std::string read_text(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_bytes(path, kLongestText);
  return {bytes.begin(), bytes.end()};
}

TokenWidth width_of(const SourceConfig& source) {
  return source.format == "tokens16" ? TokenWidth::k16Bits : TokenWidth::k32Bits;
}

// The end of the tokens validates, unless there are others for that.
Datasets windows_of(const Tokens& train, const std::optional<Tokens>& val, std::int64_t vocabulary,
                    const DataConfig& data) {
  const std::int64_t size = train.size();
  const std::int64_t end = val ? size : start_of_held(size, data.holdout);
  const Tokens& checked = val ? *val : train;
  return {std::make_unique<TokenWindows>(train, 0, end, data.context, vocabulary),
          std::make_unique<TokenWindows>(checked, val ? 0 : end, checked.size(), data.context,
                                         vocabulary)};
}

// Where the held part of a text begins: not within a character of UTF-8.
std::size_t start_of_held(const std::string& text, double holdout) {
  auto start =
      static_cast<std::size_t>(start_of_held(static_cast<std::int64_t>(text.size()), holdout));
  while (start < text.size() && (text[start] & 0xc0) == 0x80) ++start;
  return start;
}

}  // namespace

Datasets open_labelled_texts(const Config& config) {
  const DataConfig& data = config.data;
  const bool is_split = data.val.path.empty();
  const TextSet all = read_texts(data.train, {});
  const TextSet train = is_split ? part_of(all, false, config) : all;
  const TextSet val = is_split ? part_of(all, true, config) : read_texts(data.val, all.classes);
  const Vocabulary vocabulary = Vocabulary::build(train.texts, rules_of(data));
  const auto classes = static_cast<std::int64_t>(all.classes.size());
  return {encoded(train, vocabulary, data, classes), encoded(val, vocabulary, data, classes)};
}

Datasets open_token_windows(const Config& config) {
  const DataConfig& data = config.data;
  const bool is_split = data.val.path.empty();
  if (data.train.format != "text") {
    std::optional<Tokens> val;
    if (!is_split) val = Tokens::map(data.val.path, width_of(data.val));
    return windows_of(Tokens::map(data.train.path, width_of(data.train)), val, data.vocabulary,
                      data);
  }
  const std::string all = read_text(data.train.path);
  const std::size_t end = is_split ? start_of_held(all, data.holdout) : all.size();
  const std::vector<std::string> train{all.substr(0, end)};
  const std::string val = is_split ? all.substr(end) : read_text(data.val.path);
  const Vocabulary vocabulary = Vocabulary::build(train, rules_of(data));
  return windows_of(encoded_text(train.front(), vocabulary), encoded_text(val, vocabulary),
                    vocabulary.size(), data);
}

}  // namespace lockstep
