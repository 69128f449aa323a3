internal import CoreAPI

/// A value that several tasks or threads of a test change. A class, because `sending` closures cannot capture a local `Mutex`.
public final class Shared<Value: Sendable>: Sendable {
    fileprivate let value: Mutex<Value>

    public init(_ value: Value) {
        self.value = Mutex(value)
    }

    public var current: Value { value.withLock { $0 } }

    public func change(_ change: (inout Value) -> Void) {
        value.withLock { change(&$0) }
    }
}

extension Shared {
    /// Sets a new value.
    ///
    /// - Returns: the one before.
    public func exchange(_ new: Value) -> Value {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }
}

extension Shared<Int> {
    /// The number, which then grows by one.
    public func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
