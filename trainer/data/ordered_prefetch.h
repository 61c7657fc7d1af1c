// Makes values ahead of time on several threads and yields them in order: the core of the loader.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

// The positions [first, last), which need no end.
struct PositionRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// Yields make(first), make(first + 1), ... in this order, whatever order the threads finish in. The
// values are a function of the position alone, so neither `threads` nor `ahead` changes them.
//
// `make` is called from several threads at once; next() and aim() from one thread at a time. At
// most `ahead` values exist that were not yet taken (made or being made). With threads = 0 each is
// made inside next(), on the caller's thread. T need only be movable.
template <typename T>
class OrderedPrefetch {
 public:
  using Make = std::function<T(std::int64_t position)>;

  // Starts making at once. Throws invalid_argument when threads < 0 or, with threads, ahead < 1;
  // system_error when the system grants no thread.
  OrderedPrefetch(Make make, int threads, std::int64_t ahead, PositionRange range = {});
  // Waits for no more than the values being made at this moment.
  ~OrderedPrefetch();
  OrderedPrefetch(const OrderedPrefetch&) = delete;
  OrderedPrefetch& operator=(const OrderedPrefetch&) = delete;

  std::int64_t position() const { return next_; }  // of the value that next() yields
  bool done() const { return next_ >= last_; }

  // The value at position(), waiting for it if need be. What make() threw there comes out here, and
  // like a value it counts as taken: the next call goes on behind it. Throws out_of_range if done.
  T next();

  // Yields this range from now on; values made for the old one are dropped, those being made are
  // not waited for.
  void aim(PositionRange range);

 private:
  using Slot = std::variant<std::monostate, T, std::exception_ptr>;  // monostate: not yet made

  void work(std::stop_token stop);
  Slot made(std::int64_t position) const;
  bool may_claim() const { return claimed_ < last_ && claimed_ - next_ < ahead(); }
  std::int64_t ahead() const { return static_cast<std::int64_t>(slots_.size()); }
  Slot& slot(std::int64_t position) { return slots_[position % ahead()]; }

  const Make make_;
  std::mutex mutex_;  // guards all below; next_ and last_ change only on the caller's thread
  std::condition_variable_any room_;
  std::condition_variable filled_;
  std::vector<Slot> slots_;  // of position p at p % ahead
  std::int64_t next_;
  std::int64_t last_;
  std::int64_t claimed_;            // the first position no thread has begun
  std::uint64_t aims_ = 0;          // values begun under another aim are dropped
  std::vector<std::jthread> pool_;  // the last member: threads end before what they use
};

template <typename T>
OrderedPrefetch<T>::OrderedPrefetch(Make make, int threads, std::int64_t ahead, PositionRange range)
    : make_(std::move(make)), next_(range.first), last_(range.last), claimed_(range.first) {
  if (threads < 0) throw std::invalid_argument("a prefetch needs 0 or more threads");
  if (threads == 0) return;
  if (ahead < 1) throw std::invalid_argument("a prefetch looks at least 1 value ahead");
  slots_.resize(static_cast<std::size_t>(ahead));
  for (int i = 0; i < threads; ++i) {
    pool_.emplace_back([this](std::stop_token stop) { work(std::move(stop)); });
  }
}

template <typename T>
OrderedPrefetch<T>::~OrderedPrefetch() {
  for (std::jthread& thread : pool_) thread.request_stop();  // all before the first join
}

template <typename T>
T OrderedPrefetch<T>::next() {
  if (done()) throw std::out_of_range("a prefetch was asked beyond its last position");
  Slot taken;
  if (pool_.empty()) {
    taken = made(next_++);
  } else {
    std::unique_lock lock(mutex_);
    Slot& awaited = slot(next_);
    filled_.wait(lock, [&] { return awaited.index() != 0; });
    taken = std::exchange(awaited, Slot());
    ++next_;
  }
  room_.notify_one();
  if (const auto* fault = std::get_if<std::exception_ptr>(&taken)) std::rethrow_exception(*fault);
  return std::move(std::get<T>(taken));
}

template <typename T>
void OrderedPrefetch<T>::aim(PositionRange range) {
  std::vector<Slot> dropped;  // destroyed after the lock is gone
  {
    const std::lock_guard lock(mutex_);
    dropped.resize(slots_.size());
    dropped.swap(slots_);
    next_ = claimed_ = range.first;
    last_ = range.last;
    ++aims_;
  }
  room_.notify_all();
}

template <typename T>
void OrderedPrefetch<T>::work(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (room_.wait(lock, stop, [this] { return may_claim(); }) && !stop.stop_requested()) {
    const std::int64_t position = claimed_++;
    const std::uint64_t aim = aims_;
    lock.unlock();
    Slot value = made(position);
    lock.lock();
    if (aim != aims_) continue;
    slot(position) = std::move(value);
    if (position == next_) filled_.notify_one();
  }
}

template <typename T>
typename OrderedPrefetch<T>::Slot OrderedPrefetch<T>::made(std::int64_t position) const {
  try {
    return Slot(std::in_place_index<1>, make_(position));
  } catch (...) {
    return Slot(std::in_place_index<2>, std::current_exception());
  }
}

}  // namespace lockstep
