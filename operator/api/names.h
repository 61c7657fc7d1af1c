// Every name that other programs see: group, labels, annotations, conditions, reasons. Each is
// written here once.
#pragma once

namespace lockstep::names {

inline constexpr char kGroup[] = "lockstep.dev";
inline constexpr char kVersion[] = "v1alpha1";
inline constexpr char kApiVersion[] = "lockstep.dev/v1alpha1";
inline constexpr char kTrainingJob[] = "TrainingJob";
inline constexpr char kPlural[] = "trainingjobs";
inline constexpr char kOperator[] = "lockstep-operator";  // field manager, event source
inline constexpr char kOurManager[] = "lockstep.dev/lockstep-operator";  // runPolicy.managedBy: us
inline constexpr char kTrainerContainer[] = "trainer";  // the container that shorthands lie over
inline constexpr char kLauncherFolder[] = "/lockstep";  // where an injected launcher lies in it

// Labels of everything a job owns. kJobName selects them all.
inline constexpr char kJobName[] = "lockstep.dev/job-name";
inline constexpr char kJobUid[] = "lockstep.dev/job-uid";
inline constexpr char kNodeRank[] = "lockstep.dev/node-rank";
inline constexpr char kAttempt[] = "lockstep.dev/attempt";
inline constexpr char kNodeGroup[] = "lockstep.dev/node-group";
inline constexpr char kCompletionIndex[] = "batch.kubernetes.io/job-completion-index";
inline constexpr char kManagedBy[] = "app.kubernetes.io/managed-by";

// Kueue's labels of a job, and ours of its Workload.
inline constexpr char kQueueName[] = "kueue.x-k8s.io/queue-name";
inline constexpr char kQueuePriority[] = "kueue.x-k8s.io/priority-class";
inline constexpr char kQueueRequest[] = "lockstep.dev/queue-request";  // a hash of what was asked
inline constexpr char kSuspendedByUser[] = "lockstep.dev/suspended";   // why spec.active is false

// Condition types.
inline constexpr char kInvalid[] = "Invalid";
inline constexpr char kNameConflict[] = "NameConflict";
inline constexpr char kGangScheduled[] = "GangScheduled";
inline constexpr char kPodsCreated[] = "PodsCreated";
inline constexpr char kRunning[] = "Running";
inline constexpr char kRestarting[] = "Restarting";
inline constexpr char kStalled[] = "Stalled";  // also the reason of the failure
inline constexpr char kSuspended[] = "Suspended";
inline constexpr char kComplete[] = "Complete";
inline constexpr char kFailed[] = "Failed";

// Reasons of conditions and events: equal in both.
inline constexpr char kInvalidSpec[] = "InvalidSpec";
inline constexpr char kNameTaken[] = "NameTaken";
inline constexpr char kPodGroupWanted[] = "PodGroup";
inline constexpr char kNoPodGroups[] = "NoPodGroups";
inline constexpr char kJobSuspended[] = "JobSuspended";
inline constexpr char kJobResumed[] = "JobResumed";
inline constexpr char kNoKueue[] = "NoKueue";
inline constexpr char kWaitingForQuota[] = "WaitingForQuota";
inline constexpr char kEvicted[] = "Evicted";
inline constexpr char kAllPodsCreated[] = "AllPodsCreated";
inline constexpr char kCreatingPods[] = "CreatingPods";
inline constexpr char kWaitingForOldPods[] = "WaitingForOldPods";
inline constexpr char kWaitingForBackoff[] = "WaitingForBackoff";
inline constexpr char kCreateRefused[] = "CreateRefused";
inline constexpr char kAllNodesRunning[] = "AllNodesRunning";
inline constexpr char kWaitingForPods[] = "WaitingForPods";
inline constexpr char kWaitingForScheduler[] = "WaitingForScheduler";
inline constexpr char kUnschedulable[] = "Unschedulable";
inline constexpr char kNodesStarting[] = "NodesStarting";
inline constexpr char kNoProgress[] = "NoProgress";
inline constexpr char kStartedAnew[] = "StartedAnew";
inline constexpr char kNotReported[] = "NotReported";
inline constexpr char kProgressReported[] = "ProgressReported";
inline constexpr char kJobEnded[] = "JobEnded";
inline constexpr char kNoCheckpoints[] = "NoCheckpoints";
inline constexpr char kNoAccelerators[] = "NoAccelerators";
inline constexpr char kNoTrainerContainer[] = "NoTrainerContainer";
inline constexpr char kTwoLaunchers[] = "TwoLaunchers";
inline constexpr char kReservedEnvironment[] = "ReservedEnvironment";
inline constexpr char kReservedLabel[] = "ReservedLabel";
inline constexpr char kForcedDeletion[] = "ForcedDeletion";
inline constexpr char kNodeFailed[] = "NodeFailed";
inline constexpr char kNodeDisrupted[] = "NodeDisrupted";
inline constexpr char kAllNodesSucceeded[] = "AllNodesSucceeded";
inline constexpr char kFirstNodeSucceeded[] = "FirstNodeSucceeded";
inline constexpr char kBackoffLimitExceeded[] = "BackoffLimitExceeded";
inline constexpr char kDisruptionLimitExceeded[] = "DisruptionLimitExceeded";
inline constexpr char kFailureRule[] = "FailureRule";
inline constexpr char kPermanentFailure[] = "PermanentFailure";
inline constexpr char kDeadlineExceeded[] = "DeadlineExceeded";
inline constexpr char kStartupDeadlineExceeded[] = "StartupDeadlineExceeded";

}  // namespace lockstep::names
