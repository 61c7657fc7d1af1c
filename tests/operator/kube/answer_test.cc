// What HTTP codes and Status objects mean.
#include "operator/kube/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

const Request kListPods = list_request(kPods, {.namespace_ = "ml"});

std::string status(int code, const std::string& reason, const std::string& message) {
  return nlohmann::json{
      {"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}}
      .dump();
}

TEST(Answer, MapsEachCodeToWhatTheCallerShouldDo) {
  const std::vector<std::pair<int, Kind>> cases = {
      {400, Kind::kInvalid},     {401, Kind::kForbidden},   {403, Kind::kForbidden},
      {404, Kind::kNotFound},    {408, Kind::kUnavailable}, {409, Kind::kConflict},
      {410, Kind::kGone},        {422, Kind::kInvalid},     {429, Kind::kThrottled},
      {500, Kind::kUnavailable}, {502, Kind::kUnavailable}, {503, Kind::kUnavailable},
      {504, Kind::kUnavailable},
  };
  for (const auto& [code, kind] : cases) {
    EXPECT_EQ(error_of(kListPods, {.status = code}).kind, kind) << code;
  }
}

TEST(Answer, NamesAMissingPermissionInWordsOfRbac) {
  const std::string said =
      "pods is forbidden: User \"system:serviceaccount:lockstep:operator\" cannot list resource "
      "\"pods\" in API group \"\" in the namespace \"ml\"";
  EXPECT_EQ(error_of(kListPods, {.status = 403, .body = status(403, "Forbidden", said)}).message,
            "cannot list pods in namespace ml: add verb list on pods to the operator's role");
}

TEST(Answer, KeepsTheServersWordsWhenAQuotaForbids) {
  const Request create = create_request(kPods, "ml", {});
  const std::string said = "pods \"a-0\" is forbidden: exceeded quota: small";
  EXPECT_EQ(error_of(create, {.status = 403, .body = status(403, "Forbidden", said)}).message,
            "cannot create pods in namespace ml: " + said);
}

TEST(Answer, AsksForTheCrdWhenTheListIsUnknown) {
  const Error error =
      error_of(list_request(kTrainingJobs, {}), {.status = 404, .body = "404 page not found\n"});
  EXPECT_EQ(error.message,
            "cannot list trainingjobs in all namespaces: the API server does not know "
            "trainingjobs; is its CRD applied?");
}

TEST(Answer, TakesPlainTextAsTheMessage) {
  const Error error = error_of(kListPods, {.status = 429,
                                           .body = "Too many requests,\nplease try again later.\n",
                                           .retry_after_seconds = 1});
  EXPECT_EQ(error.kind, Kind::kThrottled);
  EXPECT_EQ(error.retry_after_seconds, 1);
  EXPECT_EQ(error.message,
            "cannot list pods in namespace ml: Too many requests, please try again later.");
}

TEST(Answer, RecognisesAnExpiredVersionByItsReason) {
  EXPECT_EQ(error_of_status(kListPods, {{"reason", "Expired"}, {"code", 0}}).kind, Kind::kGone);
}

TEST(Answer, RecognisesAVersionThatTheServerHasNotReached) {
  const auto object = nlohmann::json::parse(
      R"({"kind":"Status","code":504,"reason":"Timeout",
          "details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1}})");
  const Error error = error_of_status(kListPods, object);
  EXPECT_EQ(error.kind, Kind::kUnavailable);
  EXPECT_EQ(error.reason, "ResourceVersionTooLarge");
  EXPECT_EQ(error.retry_after_seconds, 1);
}

TEST(Answer, SurvivesAnyTextAsBody) {
  for (const std::string body : {"", "null", "[]", "{\"kind\":5}", "<html>", "\"Status\"", "{"}) {
    EXPECT_EQ(error_of(kListPods, {.status = 500, .body = body}).kind, Kind::kUnavailable) << body;
  }
}

}  // namespace
}  // namespace lockstep
