import CoreAPI
import CoreAPIHTTP

/// A value that several tasks of a test change. A class, because `sending` closures cannot capture a local `Mutex`.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    var current: Value { value.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) {
        value.withLock { change(&$0) }
    }
}
