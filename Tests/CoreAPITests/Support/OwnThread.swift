import Dispatch

@testable import CoreAPICore

/// An executor for tasks that must continue even if other tests block the shared threads for longer than a deadline.
func ownThread() -> any TaskExecutor { QueueExecutor(DispatchQueue(label: "own")) }
