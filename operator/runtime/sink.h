// Where a watcher puts what it hears.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/base/result.h"
#include "operator/runtime/store.h"

namespace lockstep {

// Errors: kInvalid for an object that cannot be read. Threads: that of the watcher.
class Sink {
 public:
  virtual ~Sink() = default;

  // A list: its objects are gathered aside, then published together, or dropped.
  virtual Result<void> gather(const nlohmann::json& object) = 0;
  virtual void publish(const std::string& version) = 0;
  virtual void drop() = 0;

  // A watch: one change at a time.
  virtual Result<void> put(const nlohmann::json& object, const std::string& version) = 0;
  virtual Result<void> erase(const nlohmann::json& object, const std::string& version) = 0;
  virtual void advance(const std::string& version) = 0;
};

// Writes one scope of a store.
template <typename Object>
class StoreWriter final : public Sink {
 public:
  using Parse = std::function<Result<Object>(const nlohmann::json&)>;

  StoreWriter(Store<Object>& store, std::string scope, Parse parse)
      : store_(store), scope_(std::move(scope)), parse_(std::move(parse)) {}

  Result<void> gather(const nlohmann::json& object) override {
    gathered_.push_back(TRY(parse_(object)));
    return {};
  }
  void publish(const std::string& version) override {
    store_.replace(scope_, std::exchange(gathered_, {}), version);
  }
  void drop() override { gathered_.clear(); }

  Result<void> put(const nlohmann::json& object, const std::string& version) override {
    store_.put(scope_, TRY(parse_(object)), version);
    return {};
  }
  Result<void> erase(const nlohmann::json& object, const std::string& version) override {
    store_.erase(scope_, TRY(parse_(object)), version);
    return {};
  }
  void advance(const std::string& version) override { store_.advance(scope_, version); }

 private:
  Store<Object>& store_;
  const std::string scope_;
  const Parse parse_;
  std::vector<Object> gathered_;
};

}  // namespace lockstep
