// URLs and bodies, as strings.
#include "operator/kube/request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

using nlohmann::json;

TEST(Request, GetsACoreAndAGroupObjectUnderTheirPaths) {
  EXPECT_EQ(get_request(kPods, {"ml", "fashion-0"}).target, "/api/v1/namespaces/ml/pods/fashion-0");
  EXPECT_EQ(get_request(kTrainingJobs, {"ml", "fashion"}).target,
            "/apis/lockstep.dev/v1alpha1/namespaces/ml/trainingjobs/fashion");
}

TEST(Request, ListsAnyVersionInAllNamespacesByLabel) {
  const Request request = list_request(
      kPods, {.label_selector = "lockstep.dev/job-name", .version = "0", .limit = 500});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target,
            "/api/v1/pods?labelSelector=lockstep.dev%2Fjob-name&limit=500&resourceVersion=0");
}

TEST(Request, LeavesTheVersionOutOnLaterPages) {
  const Request request = list_request(
      kPods, {.namespace_ = "ml", .version = "0", .limit = 500, .continue_token = "a=b&c"});
  EXPECT_EQ(request.target, "/api/v1/namespaces/ml/pods?limit=500&continue=a%3Db%26c");
}

TEST(Request, WatchesWithBookmarksAndToleratesThreeSilentMinutes) {
  const Request request = watch_request(
      kTrainingJobs, {.namespace_ = "ml", .version = "41", .duration = std::chrono::seconds(321)});
  EXPECT_EQ(request.target,
            "/apis/lockstep.dev/v1alpha1/namespaces/ml/trainingjobs?watch=true&"
            "allowWatchBookmarks=true&resourceVersion=41&timeoutSeconds=321");
  EXPECT_EQ(request.silence_limit, std::chrono::minutes(3));
}

TEST(Request, DeletesOneUidInTheBackground) {
  const Request request =
      delete_request(kPods, {"ml", "fashion-1"}, {.uid = "u-1", .grace_seconds = 10});
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(json::parse(request.body), json::parse(R"({
    "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
    "preconditions": {"uid": "u-1"}, "gracePeriodSeconds": 10})"));
}

TEST(Request, DeletesOneVersionWhenAsked) {
  const Request request =
      delete_request(kTrainingJobs, {"ml", "fashion"}, {.uid = "u-1", .resource_version = "42"});
  EXPECT_EQ(json::parse(request.body)["preconditions"],
            (json{{"uid", "u-1"}, {"resourceVersion", "42"}}));
}

TEST(Request, LeavesTheGracePeriodToThePodWhenNoneIsGiven) {
  const Request request =
      delete_request(kPods, {"ml", "fashion-1"}, {.uid = "u-1", .grace_seconds = {}});
  EXPECT_FALSE(json::parse(request.body).contains("gracePeriodSeconds"));
}

TEST(Request, PatchesTheStatusSubresource) {
  const Request request = patch_status_request(kTrainingJobs, {"ml", "fashion"}, {{"status", 1}});
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target,
            "/apis/lockstep.dev/v1alpha1/namespaces/ml/trainingjobs/fashion/status"
            "?fieldManager=lockstep-operator");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_EQ(request.resource, "trainingjobs/status");
}

TEST(Request, PatchesAnObjectAndFindsOneThatHasNoNamespace) {
  const Request patch = patch_request(kWorkloads, {"ml", "fashion"}, {{"spec", 1}});
  EXPECT_EQ(patch.target,
            "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads/fashion"
            "?fieldManager=lockstep-operator");
  EXPECT_EQ(patch.resource, "workloads");
  EXPECT_EQ(get_request(kResourceFlavors, {"", "spot"}).target,
            "/apis/kueue.x-k8s.io/v1beta2/resourceflavors/spot");
}

TEST(Request, WritesBrokenUtf8AsReplacementCharacters) {
  const Request request = create_request(kEvents, "ml", {{"message", "a\xff"}});
  EXPECT_EQ(json::parse(request.body)["message"], "a\xef\xbf\xbd");
}

TEST(Request, DescribesItselfInWordsOfRbac) {
  EXPECT_EQ(describe(list_request(kPods, {})), "list pods in all namespaces");
  EXPECT_EQ(describe(list_request(kPods, {.namespace_ = "ml"})), "list pods in namespace ml");
}

}  // namespace
}  // namespace lockstep
