internal import Synchronization

/// What is the same for every attempt of one call.
///
/// A class, so that requests and responses share it at the price of one reference; it never changes.
public final class Call: Sendable {
    /// Stands in every log line and error text of this call: twelve hexadecimal digits where none was given.
    public var id: String { givenID ?? Self.text(number) }
    private let givenID: String?
    private let number: UInt64
    /// What the call goes through, as it was when the call began.
    public var channel: Channel { _read { yield shared.channel } }
    let shared: SharedChannel
    public let started: ContinuousClock.Instant
    /// The same by the clock of those who wait for answers.
    let began = LoopClock.now()
    private let name: Name
    /// How often it has been repeated by hand, the attempts made before the last time, and the pause that passed then.
    let repetitions: Int
    let earlier: [Attempt]
    let delay: Duration
    private let isRepeated = Mutex(false)

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

    /// The endpoint's ``Endpoint/keyPath``.
    var keyPath: String {
        if case .of(let endpoint) = name { endpoint.keyPath } else { "" }
    }

    /// A call made by hand, for a dispatcher of the team's own.
    ///
    /// - Parameters:
    ///   - channel: what the call goes through.
    ///   - endpoint: its description, made when somebody asks for it.
    ///   - id: made up when none is given.
    public convenience init(channel: Channel, endpoint: @escaping @autoclosure @Sendable () -> String, id: String? = nil) {
        self.init(SharedChannel(channel), .made(endpoint), id: id)
    }

    convenience init(_ channel: SharedChannel, _ endpoint: consuming any Endpoint) {
        self.init(channel, .of(consume endpoint), id: nil)
    }

    private init(_ channel: SharedChannel, _ name: consuming Name, id: String?) {
        shared = channel
        self.name = consume name
        givenID = id
        number = Self.next()
        started = .now
        (repetitions, earlier, delay) = (0, [], .zero)
    }

    /// The same call for one more attempt by hand, with its time begun anew: who asks by hand does not ask in vain.
    init(repeating call: Call, after attempts: [Attempt], delay: Duration) {
        repetitions = call.repetitions + 1
        earlier = attempts
        self.delay = delay
        givenID = call.givenID
        number = call.number
        shared = call.shared
        name = call.name
        started = .now
    }

    /// How many attempts there may be in the end: as many as the channel allows, or one more where a person asked for it.
    var attemptLimit: Int { repetitions == 0 ? channel.limits.attempts : earlier.count + 1 }

    /// Whether nobody has repeated the call from here yet.
    func takeRepetition() -> Bool {
        isRepeated.withLock { isRepeated in
            defer { isRepeated = true }
            return !isRepeated
        }
    }

    private static let count = Atomic<UInt64>(.random(in: .min ... .max))

    /// A step through all numbers from a random one on, which repeats none: to ask the system for random bits is a call of the kernel.
    private static func next() -> UInt64 {
        count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    }

    /// 48 bits, well mixed (MurmurHash3's finalizer), are enough to tell the calls of a log apart and short enough to read.
    private static func text(_ number: UInt64) -> String {
        var mixed = number
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        let text = String((mixed ^ (mixed >> 33)) & 0xFFFF_FFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 12 - text.utf8.count) + text
    }
}

/// A channel behind one reference, so that no call copies the twenty that it is made of.
final class SharedChannel: Sendable {
    let channel: Channel
    /// Never given to another one, as an address may be: what was found out about this value is remembered under it.
    let number: Int

    /// Whether what happens is told to anybody. To hand an event to a logger costs 100 instructions, four times a call.
    let isLogged: Bool

    private static let last = Atomic(0)

    init(_ channel: Channel) {
        self.channel = channel
        isLogged = !(channel.logger is SilentLogger)
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    // To ask the channel or its environment itself copies all of their references; a part is read alone.

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
        guard channel.environment.isSimulated, channel.environment.fixturesType.transport == nil,
            channel.transport.reachesNetwork
        else { return false }
        // One without a base URL has nothing that a request could stay within.
        guard let base = try? channel.environment.base.get() else { return true }
        return !url.hasSameOrigin(as: base)
    }

    /// Whether the environment's pins leave a host out and refuse those that they leave out.
    func refusesHost(of url: HTTPURL) -> Bool {
        guard channel.environment.serverTrustManager.pins.refusesOtherHosts else { return false }
        let trust = channel.environment.serverTrustManager
        return trust.isPinningActive && trust.pins.refuses(url.host)
    }

    /// Whether clear text http may be spoken to a host.
    func allowsInsecureConnections(to host: String) -> Bool {
        channel.environment.allowsInsecureConnections || channel.environment.allowsInsecureConnections(to: host)
    }

    /// What the environment attaches to a request to which others attach these.
    func modifiers(for attached: [any RequestModifier]) -> [any RequestModifier] {
        var modifiers: [any RequestModifier] = []
        let common = channel.environment.commonHeaders
        if !common.isEmpty { modifiers.append(common) }
        let cachePolicy = channel.environment.cachePolicy
        if cachePolicy != .protocolDefault { modifiers.append(cachePolicy) }
        let specific = channel.environment.specificHeaders
        guard !specific.isEmpty else { return modifiers }
        for case let group as HeaderGroup in attached {
            if let headers = specific[group.key] { modifiers.append(headers) }
        }
        return modifiers
    }
}
