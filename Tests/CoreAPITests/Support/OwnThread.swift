import Dispatch

@testable import CoreAPICore

/// What tasks prefer that must go on although other tests keep the shared threads busy for longer than a deadline allows.
func ownThread() -> any TaskExecutor { QueueExecutor(DispatchQueue(label: "own")) }
