internal import CoreAPI

/// A value that several tasks or threads of a test change. A class, because `sending` closures cannot capture a local `Mutex`.
public final class Shared<Value: Sendable>: Sendable {
    fileprivate let value: Mutex<Value>

    public init(_ value: Value) { self.value = Mutex(value) }

    public var current: Value { value.withLock { $0 } }

    public func change(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
}

extension Shared {
    /// Changes the value, and returns a result of the change.
    public func take<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }

    /// Sets a new value.
    ///
    /// - Returns: the one before.
    public func exchange(_ new: Value) -> Value {
        take { value in
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
