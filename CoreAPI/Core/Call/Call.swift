internal import CoreAPIHTTP
internal import Synchronization

/// The state that all attempts of one call share: the channel, the endpoint, the start time, and the values that hooks keep.
public final class Call: Sendable {
    /// Appears in every log line and error text of this call: twelve hexadecimal digits unless one was given.
    public var id: String {
        // 48 bits are enough to tell the calls of a log apart and short enough to read.
        givenID ?? String(number >> 16, radix: 16, width: 12)
    }
    /// The channel that the call uses, as it was when the call began.
    public var channel: Channel { prepared.channel }
    /// When the call began; ``Request/deadline`` counts from here.
    public let started: ContinuousClock.Instant
    package let prepared: PreparedChannel
    let decoding: any RawResponseDecoding
    /// The manual attempts so far.
    let repetitions: Int
    /// Of all attempts: the channel's limit, or one more than so far for a manual retry.
    let attemptLimit: Int
    /// The endpoint; `nil` for a call that was made without one.
    let described: (any Endpoint)?
    /// The name of a call without an endpoint, made on first use: most calls are neither logged nor fail.
    private let describe: (@Sendable () -> String)?
    private let givenID: String?
    private let number: UInt64
    private let isRepeated = Atomic(false)
    private let context = Mutex<[ObjectIdentifier: any Sendable]>([:])
    /// The endpoint's description.
    public var endpoint: String { described?.description ?? describe?() ?? "" }

    /// The endpoint's ``Endpoint/keyPath``, else the channel's ``Channel/payload``.
    var keyPath: String {
        if let path = described?.keyPath, !path.isEmpty { path } else { prepared.channel.payload }
    }

    /// A call without an endpoint, for a custom dispatcher. Its description is made on first use.
    public convenience init(channel: Channel, endpoint: @escaping @autoclosure @Sendable () -> String, id: String? = nil) {
        self.init(PreparedChannel(channel), nil, ResponseDecoding.data, describe: endpoint, id: id)
    }

    init(
        _ channel: PreparedChannel, _ endpoint: (any Endpoint)?, _ decoding: any RawResponseDecoding,
        describe: (@Sendable () -> String)? = nil, id: String? = nil
    ) {
        (prepared, described, self.decoding, self.describe, givenID) = (channel, endpoint, decoding, describe, id)
        number = Self.count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        started = .now
        (repetitions, attemptLimit) = (0, channel.channel.limits.attempts)
    }

    /// The same call for one more manual attempt. Its deadline begins anew, because a person asked for the attempt.
    init(repeating call: Call, after attempts: Int) {
        (prepared, described, decoding, describe) = (call.prepared, call.described, call.decoding, call.describe)
        (givenID, number) = (call.givenID, call.number)
        (repetitions, attemptLimit) = (call.repetitions + 1, attempts + 1)
        started = .now
        context.withLock { $0 = call.context.withLock { $0 } }
    }

    /// A value that hooks keep with the call, from its enhancers to its listeners; see ``Call/Key``. May be used from any thread.
    /// Reading and setting are each atomic, but not both together; use ``update(_:_:)`` for that.
    public subscript<Key: Call.Key>(key: Key.Type) -> Key.Value {
        get { context.withLock { $0[ObjectIdentifier(key)] }.flatMap { $0 as? Key.Value } ?? key.defaultValue }
        set {
            // The earlier value dies outside the lock, because its deinit may use the call.
            _ = context.withLock { $0.updateValue(newValue, forKey: ObjectIdentifier(key)) }
        }
    }

    /// Changes a value of the call atomically, and returns the result of `change`. May be used from any thread. It runs under the
    /// call's lock, so it must not use the call, nor wait. If it throws, the value stays.
    @discardableResult
    public func update<Key: Call.Key, Result: Sendable, Failure: Error>(
        _ key: Key.Type, _ change: (inout Key.Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (outcome, _, _) = context.withLock { context in
            let earlier = context[ObjectIdentifier(key)]
            var value = earlier.flatMap { $0 as? Key.Value } ?? key.defaultValue
            let outcome = Swift.Result { () throws(Failure) in try change(&value) }
            if case .success = outcome { context[ObjectIdentifier(key)] = value }
            // Both are released outside the lock, because a deinit may use the call.
            return (outcome, earlier, value)
        }
        return try outcome.get()
    }

    package var streamsBody: Bool { decoding.streamsBody }
    /// Claims the one repetition of this call; `false` if it was repeated before.
    func takeRepetition() -> Bool { !isRepeated.exchange(true, ordering: .acquiringAndReleasing) }

    func notify(_ event: @autoclosure () -> CallEvent) {
        guard !prepared.listeners.isEmpty else { return }
        let event = event()
        for listener in prepared.listeners { listener.notify(event) }
    }

    private static let count = Atomic<UInt64>(.random(in: .min ... .max))

    /// Names a value that hooks keep with a ``Call``.
    ///
    /// ```swift
    /// enum Budget: Call.Key { static let defaultValue = 3 }
    /// let left = attempt.call.update(Budget.self) { budget in
    ///     budget -= 1
    ///     return budget
    /// }
    /// ```
    public protocol Key {
        /// The type of the value that a call keeps.
        associatedtype Value: Sendable
        /// The value of a call before a hook sets one.
        static var defaultValue: Value { get }
    }
}
