// A listener on user scopes.
#include "trainer/speed/step_times.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

thread_local StepTimes* listener = nullptr;

}  // namespace

StepTimes::StepTimes(at::Device device)
    : device_(device),
      start_(now()),
      callback_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(on_begin, on_end).scopes({at::RecordScope::USER_SCOPE}))) {
  listener = this;
}

StepTimes::~StepTimes() {
  at::removeCallback(callback_);
  listener = nullptr;
}

std::unique_ptr<at::ObserverContext> StepTimes::on_begin(const at::RecordFunction& span) {
  if (listener) listener->noted_.push_back({span.name(), true, listener->now()});
  return nullptr;
}

void StepTimes::on_end(const at::RecordFunction& span, at::ObserverContext*) {
  if (listener) listener->noted_.push_back({span.name(), false, listener->now()});
}

StepTimes::Instant StepTimes::now() const {
  Instant instant{Clock::now(), std::nullopt};
  if (device_.is_cpu()) return instant;
  instant.device.emplace(device_.type(), c10::EventFlag::BACKEND_DEFAULT);  // with a time
  instant.device->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return instant;
}

double StepTimes::seconds_until(const Instant& instant) const {
  constexpr double kMillisecond = 1e-3;
  if (instant.device) return start_.device->elapsedTime(*instant.device) * kMillisecond;
  return std::chrono::duration<double>(instant.host - start_.host).count();
}

Split StepTimes::split() {
  if (!noted_.empty() && noted_.back().at.device) noted_.back().at.device->synchronize();
  std::vector<Mark> marks;
  for (const Noted& each : noted_) {
    marks.push_back({each.name, each.is_begin, seconds_until(each.at)});
  }
  return split_of(marks);
}

}  // namespace lockstep
