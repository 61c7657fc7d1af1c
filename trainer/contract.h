// What the operator, the launcher and the trainer agree on: names of environment variables and exit
// codes. Constants only.
#pragma once

namespace lockstep::contract {

// Environment of every container (set by the operator), described in docs/api.md.
inline constexpr char kMasterAddr[] = "MASTER_ADDR";
inline constexpr char kMasterPort[] = "MASTER_PORT";
inline constexpr char kNnodes[] = "NNODES";
inline constexpr char kNodeRank[] = "NODE_RANK";
inline constexpr char kNprocPerNode[] = "NPROC_PER_NODE";
inline constexpr char kLocalWorldSize[] = "LOCAL_WORLD_SIZE";
inline constexpr char kWorldSize[] = "WORLD_SIZE";
inline constexpr char kRankOffset[] = "LOCKSTEP_RANK_OFFSET";  // rank of this node's first process
inline constexpr char kRank[] = "RANK";                        // per process
inline constexpr char kLocalRank[] = "LOCAL_RANK";             // per process
inline constexpr char kGraceSeconds[] =
    "LOCKSTEP_GRACE_SECONDS";  // what the launcher may use after SIGTERM
inline constexpr char kHangTimeout[] =
    "LOCKSTEP_HANG_TIMEOUT";  // seconds without any progress until the launcher ends a node; a job
                              // may set it
inline constexpr char kTerminationLog[] =
    "LOCKSTEP_TERMINATION_LOG";  // where the launcher leaves the root cause
inline constexpr char kStartupSeconds[] =
    "LOCKSTEP_STARTUP_SECONDS";  // how long ranks wait for each other
inline constexpr char kJobName[] = "LOCKSTEP_JOB_NAME";
inline constexpr char kJobUid[] = "LOCKSTEP_JOB_UID";
inline constexpr char kNamespace[] = "LOCKSTEP_NAMESPACE";
inline constexpr char kAttempt[] = "LOCKSTEP_ATTEMPT";  // from 1
inline constexpr char kConfig[] = "LOCKSTEP_CONFIG";    // spec.config as JSON
inline constexpr char kCheckpointDir[] = "CHECKPOINT_DIR";
inline constexpr char kStatus[] =
    "LOCKSTEP_STATUS";  // FIFO for a rank's progress: docs/progress.md

inline constexpr int kDefaultMasterPort = 29500;
inline constexpr int kProgressPort = 9790;  // where each node tells its progress
inline constexpr int kStatusSchema = 1;     // of what ranks write and of what the port tells
inline constexpr char kDefaultTerminationLog[] = "/dev/termination-log";

// Exit codes of trainer and launcher; the operator's default rules know them.
inline constexpr int kExitFinished = 0;
inline constexpr int kExitUsage = 64;     // usage or configuration: permanent
inline constexpr int kExitBadData = 65;   // permanent
inline constexpr int kExitInternal = 70;  // restart
inline constexpr int kExitDiverged = 71;  // permanent
inline constexpr int kExitStorage = 74;   // restart
inline constexpr int kExitPeerLost = 75;  // peer or rendezvous lost: restart, never the root cause
inline constexpr int kExitStopped = 80;   // stopped on request, state saved: not a failure
inline constexpr int kExitHang = 124;     // no progress for too long, as timeout(1): restart

}  // namespace lockstep::contract
