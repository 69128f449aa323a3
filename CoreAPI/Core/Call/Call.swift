internal import CoreAPIHTTPSupport
internal import CoreAPILock
internal import Synchronization

/// What is the same for every attempt of one call: the channel, the endpoint, the deadline's beginning, and what hooks keep.
public final class Call: Sendable {
    /// Stands in every log line and error text of this call: twelve hexadecimal digits unless one was given.
    public var id: String { givenID ?? Self.text(number) }
    /// What the call goes through, as it was when the call began.
    public var channel: Channel { prepared.channel }
    /// When the call began; ``Request/deadline`` counts from here.
    public let started: ContinuousClock.Instant

    package let prepared: PreparedChannel
    let decoding: any ReplyDecoding
    /// How often the call was repeated by hand, the attempts made before the last time, and the pause that passed then.
    let repetitions: Int
    let earlier: [AttemptOutcome]
    let delay: Duration
    /// How a completion repeats the call.
    let door = Mutex(Door.none)

    private let givenID: String?
    private let number: UInt64
    private let name: Name
    private let isRepeated = Mutex(false)
    private let context = Mutex<[ObjectIdentifier: any Sendable]>([:])

    /// Made when somebody asks: most calls are neither logged nor fail.
    private enum Name: Sendable {
        case of(any Endpoint)
        case made(@Sendable () -> String)
    }

    /// The endpoint's description.
    public var endpoint: String {
        switch name {
        case .of(let endpoint): endpoint.description
        case .made(let describe): describe()
        }
    }

    /// What the call asks for; `nil` for one made by hand.
    var described: (any Endpoint)? {
        if case .of(let endpoint) = name { endpoint } else { nil }
    }

    /// The endpoint's ``Endpoint/keyPath``, else the channel's ``Channel/payload``.
    var keyPath: String {
        if let path = described?.keyPath, !path.isEmpty { path } else { prepared.channel.payload }
    }

    /// A call made by hand, for a dispatcher of the team's own.
    ///
    /// - Parameters:
    ///   - channel: what the call goes through.
    ///   - endpoint: its description, made when somebody asks for it.
    ///   - id: made up when none is given.
    public convenience init(channel: Channel, endpoint: @escaping @autoclosure @Sendable () -> String, id: String? = nil) {
        self.init(PreparedChannel(channel), .made(endpoint), ResponseDecoding.data, id: id)
    }

    convenience init(_ channel: PreparedChannel, _ endpoint: any Endpoint, _ decoding: any ReplyDecoding) {
        self.init(channel, .of(endpoint), decoding, id: nil)
    }

    private init(_ channel: PreparedChannel, _ name: Name, _ decoding: any ReplyDecoding, id: String?) {
        prepared = channel
        self.name = name
        self.decoding = decoding
        givenID = id
        number = Self.count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        started = .now
        (repetitions, earlier, delay) = (0, [], .zero)
    }

    /// The same call for one more attempt by hand. Its time begins anew: a person asked for it.
    init(repeating call: Call, after attempts: [AttemptOutcome], delay: Duration) {
        repetitions = call.repetitions + 1
        earlier = attempts
        self.delay = delay
        givenID = call.givenID
        number = call.number
        prepared = call.prepared
        name = call.name
        decoding = call.decoding
        started = .now
        context.withLock { $0 = call.context.withLock { $0 } }
    }

    /// A value that hooks keep with the call, from its enhancers to its listeners; see ``CallKey``. May be used from any thread.
    public subscript<Key: CallKey>(key: Key.Type) -> Key.Value {
        get { context.withLock { $0[ObjectIdentifier(key)] } as? Key.Value ?? key.defaultValue }
        set { context.withLock { $0[ObjectIdentifier(key)] = newValue } }
    }

    /// Whether the caller reads the body as it comes.
    package var wantsStream: Bool { decoding.wantsStream }

    /// How many attempts there may be in the end: as many as the channel allows, or one more where a person asked for it.
    var attemptLimit: Int { repetitions == 0 ? channel.limits.attempts : earlier.count + 1 }

    /// Whether the call was not repeated from here before.
    func takeRepetition() -> Bool {
        isRepeated.withLock { isRepeated in
            defer { isRepeated = true }
            return !isRepeated
        }
    }

    /// Tells every listener of the channel.
    func tell(_ event: (any Listener) -> Void) {
        for listener in prepared.listeners { event(listener) }
    }

    private static let count = Atomic<UInt64>(.random(in: .min ... .max))

    /// 48 bits are enough to tell the calls of a log apart and short enough to read.
    private static func text(_ number: UInt64) -> String {
        let text = String(number >> 16, radix: 16)
        return String(repeating: "0", count: 12 - text.utf8.count) + text
    }
}

/// Names a value that hooks keep with a ``Call``.
///
/// ```swift
/// enum Budget: CallKey { static let defaultValue = 3 }
/// attempt.call[Budget.self] -= 1
/// ```
public protocol CallKey {
    associatedtype Value: Sendable
    /// The value of a call for which none was set.
    static var defaultValue: Value { get }
}

/// A channel made ready for its calls: what is found out once and not for each of them.
package final class PreparedChannel: Sendable {
    package let channel: Channel
    /// What fails every call.
    let problems: [String]
    /// The kit's enhancers and the channel's, from high to low priority.
    let enhancers: [any RequestEnhancer]
    let callChain: [any Middleware]
    let attemptChain: [any Middleware]
    let listeners: [any Listener]
    /// What answers: the environment's fixtures, else the channel's transport.
    let transport: any Transport
    /// Names this value for as long as the process lives, as an address does not.
    package let number: Int

    private static let last = Atomic(0)

    init(_ channel: Channel) {
        self.channel = channel
        problems = channel.problemsOfAllCalls
        // A stable sort: among equals the built-in ones come first, then the channel's in their order.
        enhancers = (RequestEnhancers.builtIn + channel.enhancers).sorted { $0.effectivePriority > $1.effectivePriority }
        callChain = channel.callMiddleware
        attemptChain = channel.wholeAttemptMiddleware
        listeners = channel.allListeners
        transport = channel.environment.fixturesType.transport ?? channel.transport
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    /// This channel as it is at the moment: at the environment that its switch stands at.
    var current: PreparedChannel {
        channel.environmentSwitch == nil ? self : switched()
    }

    // Not inlined: a channel by value would lie in the frame of every call (2,256 bytes).
    @inline(never)
    private func switched() -> PreparedChannel {
        var current = channel
        if let place = channel.environmentSwitch { current.environment = place.environment }
        return PreparedChannel(current)
    }

    var coder: BodyCoder { channel.coder }

    /// The base URL of a request: the one that the environment's rule puts first.
    ///
    /// - Parameters:
    ///   - own: the endpoint's, empty for none.
    ///   - nearest: what modifiers ask for.
    func base(_ own: String, _ nearest: BaseURL?) throws(RequestError) -> HTTPURL {
        if channel.environment.isBaseFirst { return try channel.environment.base.get() }
        if !own.isEmpty { return try HTTPURL(own) }
        if let nearest = nearest?.string { return try HTTPURL(nearest) }
        return try channel.environment.base.get()
    }

    /// An endpoint's whole address has to be the environment's where that comes first.
    func check(whole url: HTTPURL) throws(RequestError) {
        guard channel.environment.isBaseFirst, try !url.hasSameOrigin(as: channel.environment.base.get()) else { return }
        throw .leavesEnvironment(host: url.host, environment: channel.environment.name)
    }

    /// Whether a request would leave an environment that may be simulated: a test or a sandbox must not reach the real thing.
    func isLeft(by url: HTTPURL) -> Bool {
        guard channel.environment.isSimulated, transport.reachesNetwork else { return false }
        // One without a base URL has nothing that a request could stay within.
        guard let base = try? channel.environment.base.get() else { return true }
        return !url.hasSameOrigin(as: base)
    }

    /// Whether the environment's pins leave a host out and refuse those that they leave out.
    package func refusesHost(of url: HTTPURL) -> Bool {
        let trust = channel.environment.serverTrustManager
        return trust.pins.refusesOtherHosts && trust.isPinningActive && trust.pins.refuses(url.host)
    }

    /// What the environment attaches to a request to which others attach these.
    func modifiers(for attached: [any RequestModifier]) -> [any RequestModifier] {
        var modifiers: [any RequestModifier] = []
        let environment = channel.environment
        if !environment.commonHeaders.isEmpty { modifiers.append(environment.commonHeaders) }
        if environment.cachePolicy != .protocolDefault { modifiers.append(environment.cachePolicy) }
        for case let group as HeaderGroup in attached {
            if let headers = environment.specificHeaders[group.key] { modifiers.append(headers) }
        }
        return modifiers
    }
}
