internal import CoreAPI

/// A value that several tasks or threads of a test change. A class, because `sending` closures cannot capture a local `Mutex`.
public final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    public init(_ value: Value) {
        self.value = Mutex(value)
    }

    public var current: Value { value.withLock { $0 } }

    public func change(_ change: (inout Value) -> Void) {
        value.withLock { change(&$0) }
    }
}
