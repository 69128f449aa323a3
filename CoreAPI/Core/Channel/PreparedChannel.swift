internal import CoreAPICoding
internal import CoreAPICookies
package import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation
internal import HTTPTypes
internal import Synchronization

/// A channel prepared for its calls: values that are computed once; with an `APIEnvironment.Switch`, for each call.
package final class PreparedChannel: Sendable {
    package let channel: Channel
    let problems: [String]
    /// The kit's enhancers and the channel's, from high to low priority.
    let enhancers: [any RequestEnhancer]
    let callChain: [any Middleware]
    let attemptChain: [any Middleware]
    let listeners: [any Listener]
    /// The environment's fixtures, else the channel's own transport (`PlatformTransport` of Umbrella/CoreAPI.swift).
    let transport: any Transport
    /// Identifies this value for the life of the process; an address may be reused.
    package let number: Int
    private static let last = Atomic(0)
    private static let builtInEnhancers: [any RequestEnhancer] = [
        HeaderEnhancer(), QueryItemEnhancer(), TimeoutEnhancer(), CachePolicyEnhancer(), VerificationEnhancer(),
    ]

    init(_ channel: Channel) {
        (self.channel, problems) = (channel, channel.problemsOfAllCalls)
        // A stable sort: among equals the built-in ones come first, then the channel's in their order.
        enhancers = (Self.builtInEnhancers + channel.enhancers).sorted { $0.priority > $1.priority }
        (callChain, attemptChain) = (channel.callMiddleware, channel.allAttemptMiddleware)
        listeners = (channel.logger.map { [$0] } ?? []) + channel.listeners
        transport = channel.environment.fixturesType.transport ?? channel.transport
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    /// This channel with the current environment of its `APIEnvironment.Switch`.
    var current: PreparedChannel { channel.environmentSwitch == nil ? self : switched() }

    // Not inlined: the changed channel would lie in the frame of each call.
    @inline(never)
    private func switched() -> PreparedChannel {
        PreparedChannel(channel.with { if let place = $0.environmentSwitch { $0.environment = place.environment } })
    }

    var coder: BodyCoder { channel.coder }

    /// The endpoint's own base URL, else the nearest ``BaseURL``, else the environment's, which may come first.
    func base(_ own: String, _ nearest: BaseURL?) throws(RequestError) -> HTTPURL {
        if channel.environment.isBaseFirst { return try channel.environment.base.get() }
        if !own.isEmpty { return try HTTPURL(own) }
        if let nearest = nearest?.string { return try HTTPURL(nearest) }
        return try channel.environment.base.get()
    }

    /// Whether a path is the complete address: it is absolute, and the environment has no base URL.
    func isAddress(_ path: String) -> Bool {
        channel.environment.baseURL.isEmpty && path.hasURLScheme && path.utf8.firstRange(of: "://".utf8) != nil
    }

    /// If the environment's base URL comes first, an endpoint's own address must have its origin.
    func checkOrigin(of url: HTTPURL) throws(RequestError) {
        guard channel.environment.isBaseFirst, try !url.hasSameOrigin(as: channel.environment.base.get()) else { return }
        throw .leavesEnvironment(host: url.host, environment: channel.environment.name)
    }

    func enhance(_ request: inout Request) throws(APIClientError) {
        do {
            for index in enhancers.indices { try enhancers[index].enhance(&request) }
        } catch {
            throw APIClientError(error, APIClientError.Context(request), stage: APIClientError.enhancing)
        }
    }

    /// Whether a simulated environment forbids an address: a test or a sandbox must not reach the real server.
    func forbids(_ url: HTTPURL) -> Bool {
        guard channel.environment.isSimulated, transport.reachesNetwork else { return false }
        // Without a base URL there is no origin to stay within.
        guard let base = try? channel.environment.base.get() else { return true }
        return !url.hasSameOrigin(as: base)
    }

    package func allowsClearText(to url: HTTPURL) -> Bool { channel.environment.allowsInsecureConnections(to: url.host) }

    /// Whether the environment has no pins for a host and rejects hosts without pins.
    package func rejectsHost(of url: HTTPURL) -> Bool {
        let trust = channel.environment.serverTrustManager
        return trust.pins.rejectsOtherHosts && trust.isPinningActive && trust.pins.rejects(url.host)
    }

    /// The environment's modifiers for a request with these modifiers.
    func modifiers(for attached: [any RequestModifier]) -> [any RequestModifier] {
        var modifiers: [any RequestModifier] = []
        if !channel.environment.commonHeaders.isEmpty { modifiers.append(channel.environment.commonHeaders) }
        if channel.environment.cachePolicy != .protocolDefault { modifiers.append(channel.environment.cachePolicy) }
        for case let group as APIEnvironment.HeaderGroup in attached {
            if let headers = channel.environment.specificHeaders[group.key] { modifiers.append(headers) }
        }
        return modifiers
    }
}

extension Channel {
    /// The middleware around an attempt, the kit's own included: redirects outermost, so that the channel's see every hop.
    fileprivate var allAttemptMiddleware: [any Middleware] {
        var all: [any Middleware] = []
        if limits.redirects > 0 { all.append(Redirects()) }
        all += attemptMiddleware
        if let cookies { all.append(Cookies(jar: cookies)) }
        return all
    }
}

/// The kit's changes to every request. A channel's enhancers run before them with a priority above `.core`, and after them with
/// one below `.core.less`.
protocol CoreEnhancer: RequestEnhancer {}

extension CoreEnhancer {
    static var priority: Priority { .core }
    var stages: Set<Stage.Kind> { [.enhance] }
}

/// Applies ``HeaderModifier``s and ``Headers``, farthest first. Lines of one name within one ``Headers`` stay side by side.
struct HeaderEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        for modifier in request.modifiers {
            // The kit's own types first: a cast to a protocol takes ten times as long.
            if let headers = modifier as? Headers {
                try request.headers.set(try headers.fields())
            } else if let header = (modifier as? Header) ?? (modifier as? any HeaderModifier) {
                try request.setHeader(header.name, header.value)
            }
        }
    }
}

struct QueryItemEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        for item in request.modifiers(of: QueryItem.self) {
            guard !item.name.isEmpty else { throw RequestError.namelessQueryItem(value: item.value) }
            request.url.appendQuery(item.name, item.value)
        }
    }
}

struct TimeoutEnhancer: CoreEnhancer {
    func enhance(_ request: inout Request) throws {
        let timeout = request.modifier(Timeout.self)
        if let timeout { request.timeout = timeout }
        guard let idle = request.modifier(IdleTimeout.self), timeout == nil || !idle.yieldsToTimeout else { return }
        request.timeout.idle = idle.duration
    }
}

/// Applies the nearest ``CachePolicy``; a `Cache-Control` of the caller stays.
struct CachePolicyEnhancer: CoreEnhancer {
    static var priority: Priority { .core.less }

    func enhance(_ request: inout Request) throws {
        guard let directive = request.modifier(CachePolicy.self)?.directive, request.headers[.cacheControl] == nil else { return }
        request.headers[.cacheControl] = directive
    }
}

struct VerificationEnhancer: CoreEnhancer {
    var stages: Set<Stage.Kind> { [.deenhance] }

    func deenhance(_ response: inout Response<Data>) {
        if let rejection = Self.rejection(of: response) { response.result = .failure(rejection) }
    }

    /// The first verifier's error; `nil` if all accept the response.
    static func rejection(of response: Response<Data>) -> APIClientError? {
        guard response.error == nil, let attempt = response.raw.attempt else { return nil }
        do {
            try (attempt.request.modifier() ?? StatusCodeResponseVerifier.successful).verify(response)
            for modifier in attempt.request.modifiers {
                if modifier is StatusCodeResponseVerifier { continue }
                try (modifier as? any ResponseVerifier)?.verify(response)
            }
            return nil
        } catch {
            if let error = error as? APIClientError { return error }
            return .verification(error as? VerificationError ?? .custom(error), APIClientError.Context(response))
        }
    }
}
