// What the API server holds of one kind, as far as we have heard.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/api/meta.h"
#include "operator/base/mutex.h"
#include "operator/runtime/version.h"

namespace lockstep {

// Many readers, and one writer for each scope: a namespace, or "" for all of them. A relist swaps a
// whole scope at once, so no reader ever sees half a list. Objects are found by their own key and
// by the job that they belong to. Each change calls on_change with that job, after it became
// visible. Threads: any.
template <typename Object>
class Store {
 public:
  using Pointer = std::shared_ptr<const Object>;
  using JobOf = std::function<ObjectKey(const Object&)>;
  using OnChange = std::function<void(const ObjectKey& job)>;

  Store(const std::vector<std::string>& scopes, JobOf job_of, OnChange on_change)
      : job_of_(std::move(job_of)), on_change_(std::move(on_change)) {
    for (const std::string& scope : scopes) scopes_[scope];
  }

  // The key's object, or null.
  Pointer find(const ObjectKey& key) const {
    MutexLock lock(mutex_);
    const Content* content = content_of(key.namespace_);
    if (!content) return nullptr;
    const auto found = content->objects.find(key);
    return found == content->objects.end() ? nullptr : found->second;
  }

  // All objects of a job, by name.
  std::vector<Pointer> of_job(const ObjectKey& job) const {
    MutexLock lock(mutex_);
    std::vector<Pointer> found;
    const Content* content = content_of(job.namespace_);
    if (!content) return found;
    const auto keys = content->by_job.find(job);
    if (keys == content->by_job.end()) return found;
    for (const ObjectKey& key : keys->second) found.push_back(content->objects.at(key));
    return found;
  }

  // Everything, in no useful order.
  std::vector<Pointer> all() const {
    MutexLock lock(mutex_);
    std::vector<Pointer> found;
    for (const auto& [scope, content] : scopes_) {
      for (const auto& [key, object] : content.objects) found.push_back(object);
    }
    return found;
  }

  // Whether what was written at `version` in that namespace is visible here.
  bool has_reached(const std::string& namespace_, const std::string& version) const {
    MutexLock lock(mutex_);
    const Content* content = content_of(namespace_);
    return content && lockstep::has_reached(content->version, version);
  }

  // Whether every scope was listed once.
  bool is_synced() const {
    MutexLock lock(mutex_);
    for (const auto& [scope, content] : scopes_) {
      if (content.version.empty()) return false;
    }
    return true;
  }

  // For the scope's writer only.
  void replace(const std::string& scope, std::vector<Object> objects, const std::string& version) {
    Content fresh;
    fresh.version = version;
    std::set<ObjectKey> changed;
    for (Object& object : objects) {
      changed.insert(job_of_(object));
      insert(fresh, std::make_shared<const Object>(std::move(object)));
    }
    {
      MutexLock lock(mutex_);
      Content& content = scopes_.at(scope);
      for (const auto& [job, keys] : content.by_job) changed.insert(job);
      std::swap(content, fresh);
    }
    for (const ObjectKey& job : changed) on_change_(job);
  }

  void put(const std::string& scope, Object object, const std::string& version) {
    const ObjectKey job = job_of_(object);
    auto pointer = std::make_shared<const Object>(std::move(object));
    {
      MutexLock lock(mutex_);
      Content& content = scopes_.at(scope);
      remove(content, pointer->meta.key());
      insert(content, std::move(pointer));
      content.version = version;
    }
    on_change_(job);
  }

  void erase(const std::string& scope, const Object& last_state, const std::string& version) {
    {
      MutexLock lock(mutex_);
      Content& content = scopes_.at(scope);
      remove(content, last_state.meta.key());
      content.version = version;
    }
    on_change_(job_of_(last_state));
  }

  void advance(const std::string& scope, const std::string& version) {
    MutexLock lock(mutex_);
    scopes_.at(scope).version = version;
  }

 private:
  struct Content {
    std::map<ObjectKey, Pointer> objects;
    std::map<ObjectKey, std::set<ObjectKey>> by_job;
    std::string version;  // empty: not listed yet
  };

  const Content* content_of(const std::string& namespace_) const REQUIRES(mutex_) {
    auto found = scopes_.find(namespace_);
    if (found == scopes_.end()) found = scopes_.find("");
    return found == scopes_.end() ? nullptr : &found->second;
  }

  void insert(Content& content, Pointer object) {
    const ObjectKey key = object->meta.key();
    content.by_job[job_of_(*object)].insert(key);
    content.objects[key] = std::move(object);
  }

  void remove(Content& content, const ObjectKey& key) {
    const auto found = content.objects.find(key);
    if (found == content.objects.end()) return;
    const auto keys = content.by_job.find(job_of_(*found->second));
    keys->second.erase(key);
    if (keys->second.empty()) content.by_job.erase(keys);
    content.objects.erase(found);
  }

  const JobOf job_of_;
  const OnChange on_change_;
  mutable Mutex mutex_;
  std::map<std::string, Content> scopes_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
