// kubeconfig files, good and bad.
#include "operator/kube/kubeconfig.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

const SystemClock kClock;

class Kubeconfig : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path() / name) << content;
    return (directory_.path() / name).string();
  }

  std::string error_of(const std::string& content, const std::string& context = {}) {
    const auto loaded = load_kubeconfig({write("config", content)}, context, kClock);
    return loaded ? "no error" : loaded.error().message;
  }

  testing::TemporaryDirectory directory_;
};

const std::string kTwoContexts = R"(
apiVersion: v1
kind: Config
current-context: one
contexts:
- {name: one, context: {cluster: c1, user: u1, namespace: ml}}
- {name: two, context: {cluster: c2, user: u2}}
clusters:
- name: c1
  cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: UEVN, tls-server-name: api}
- name: c2
  cluster: {server: "https://10.0.0.2:6443", insecure-skip-tls-verify: true, certificate-authority: ca.pem}
users:
- {name: u1, user: {client-certificate-data: Q0VSVA==, client-key-data: S0VZ}}
- {name: u2, user: {token: inline, tokenFile: token}}
)";

TEST_F(Kubeconfig, UsesTheCurrentContext) {
  const auto loaded = load_kubeconfig({write("config", kTwoContexts)}, "", kClock);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->server.url(), "https://10.0.0.1:6443");
  EXPECT_EQ(loaded->server.server_name, "api");
  EXPECT_TRUE(loaded->server.is_verified);
  EXPECT_EQ(loaded->server.authorities.text, "PEM");
  EXPECT_EQ(loaded->server.client_certificate.text, "CERT");
  EXPECT_EQ(loaded->server.client_key.text, "KEY");
  EXPECT_EQ(loaded->token, nullptr);
}

TEST_F(Kubeconfig, UsesTheNamedContextAndFilesBesideIt) {
  write("ca.pem", "PEM");
  write("token", "from file\n");
  const auto loaded = load_kubeconfig({write("config", kTwoContexts)}, "two", kClock);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(loaded->server.is_verified);
  EXPECT_EQ(*loaded->server.authorities.read(), "PEM");
  EXPECT_EQ(*loaded->token->current(), "from file") << "tokenFile beats token";
}

TEST_F(Kubeconfig, TakesTheFirstFileThatDefinesAName) {
  const std::string first = write("first", R"(
clusters: [{name: c1, cluster: {server: "http://first:1"}}]
)");
  const std::string second = write("second", kTwoContexts);
  const std::string missing = (directory_.path() / "missing").string();
  const auto loaded = load_kubeconfig({missing, first, second}, "", kClock);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->server.url(), "http://first:1");
}

TEST_F(Kubeconfig, SaysInOneSentenceWhatIsWrong) {
  const std::string path = (directory_.path() / "config").string();
  const std::string head =
      "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n";
  const std::string cluster = head + "clusters: [{name: c, cluster: {server: \"https://a\"}}]\n";
  const auto with_user = [&](const std::string& user) {
    return cluster + "users: [{name: u, user: {" + user + "}}]\n";
  };
  EXPECT_EQ(error_of("[]"), "kubeconfig " + path + " is not a kubeconfig: it has no keys");
  EXPECT_EQ(error_of("kind: Config"),
            "kubeconfig " + path + " has no current-context: give --context");
  EXPECT_EQ(error_of(head, "y"), "kubeconfig " + path + " has no context \"y\"");
  EXPECT_EQ(error_of(head), "kubeconfig " + path + " has no cluster \"c\"");
  EXPECT_EQ(error_of(cluster), "kubeconfig " + path + " has no user \"u\"");
  EXPECT_EQ(error_of(head + "clusters: [{name: c}]"),
            "a cluster in kubeconfig " + path + " has no server");
  EXPECT_EQ(error_of(with_user("client-key-data: \"***\"")),
            "client-key-data in kubeconfig " + path + " is not valid base64");
  EXPECT_EQ(error_of(with_user("tokenFile: none")),
            "cannot read " + (directory_.path() / "none").string());
  EXPECT_EQ(error_of(with_user("exec: {command: aws}")),
            "a user in kubeconfig " + path +
                " has \"exec\", which is not supported: give a token or a client certificate "
                "instead");
  EXPECT_NE(error_of("a: [").find("is not YAML"), std::string::npos);
}

TEST_F(Kubeconfig, SaysThatNoneExists) {
  EXPECT_EQ(load_kubeconfig({"/nowhere/a"}, "", kClock).error().message,
            "kubeconfig /nowhere/a does not exist: give --kubeconfig or set KUBECONFIG");
}

}  // namespace
}  // namespace lockstep
