public import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
internal import Foundation
internal import HTTPTypes

/// Gives responses from files or values instead of the network, so that a feature runs and is tested offline.
///
/// ```swift
/// let transport = FixtureTransport([
///     Fixture(.get, "orders?page=1", body: #"{"orders": []}"#),
///     Fixture(.get, "orders/DL-9", failure: .timedOut(.total, after: .seconds(60))),
/// ])
/// ```
///
/// Cookies that a fixture sets go into the channel's jar, as over the wire.
///
/// A ``Fixture`` attached to the request answers first, the nearest match. Then comes the scenario of an attached
/// ``Fixture/Scenario`` or, without one, this transport's own. Of several matching fixtures the one with most query items
/// answers; of equals, the first. A request without a match fails with ``FixtureError/unmatched(request:available:nearest:)``. A
/// response is never invented.
public struct FixtureTransport: Transport {
    /// Finds the fixtures of a scenario.
    public typealias Load = @Sendable (_ scenario: String) throws(FixtureError) -> [Fixture]

    private let fixtures: Result<[Fixture], FixtureError>
    private let scenario: String
    private let load: Load

    /// One scenario, as values.
    public init(_ fixtures: [Fixture]) { self.init(scenarios: ["": fixtures], scenario: "") }

    /// Several scenarios, as values. The one of this name answers calls without a ``Fixture/Scenario``.
    public init(scenarios: [String: [Fixture]], scenario: String) {
        self.init(scenario: scenario) { name throws(FixtureError) in
            if let fixtures = scenarios[name] { return fixtures }
            let available = scenarios.keys.filter { !$0.isEmpty }.sorted()
            throw .notFound(name: name, searched: ["the scenarios of the transport"], available: available)
        }
    }

    /// The fixtures of a folder: every `.http` file in it, ordered by name; see ``Fixture/init(parsing:file:)``. The folders
    /// beside it are other scenarios.
    ///
    /// If the folder is missing or a file cannot be read, every request fails with the reason, so that a test shows it.
    public init(directory: String) {
        let folder = URL(fileURLWithPath: directory)
        self.init(directory: folder.deletingLastPathComponent().path, scenario: folder.lastPathComponent)
    }

    /// One folder of fixtures per scenario, below a folder.
    public init(directory: String, scenario: String) {
        self.init(scenario: scenario) { name throws(FixtureError) in try Fixture.scenario(name, in: directory) }
    }

    /// Scenarios from any source.
    ///
    /// - Parameters:
    ///   - scenario: answers calls without a ``Fixture/Scenario``; loaded at once.
    ///   - load: called again for each call with another scenario, in Swift's thread pool.
    public init(scenario: String, load: @escaping Load) {
        fixtures = Result { () throws(FixtureError) in try load(scenario) }
        (self.scenario, self.load) = (scenario, load)
    }

    public var reachesNetwork: Bool { false }

    public func send(_ attempt: Attempt) async -> RawResponse {
        let request = attempt.request
        do throws(FixtureError) {
            let fixture = try fixture(for: request)
            let remaining = ContinuousClock.now.duration(to: request.deadline)
            if fixture.delay > .zero { try? await Task.sleep(for: max(.zero, min(fixture.delay, remaining))) }
            guard !Task.isCancelled else { return attempt.failed(CancellationError()) }
            guard fixture.delay < remaining else {
                return attempt.failed(TransportError.timedOut(.total, after: request.timeout.total))
            }
            return fixture.raw(to: attempt)
        } catch {
            return attempt.failed(TransportError.fixture(error))
        }
    }

    private func fixture(for request: Request) throws(FixtureError) -> Fixture {
        if let attached = request.modifiers(of: Fixture.self).last(where: { $0.fits(request) }) { return attached }
        guard let chosen = request.modifier(Fixture.Scenario.self)?.name, chosen != scenario else {
            return try match(request, in: fixtures.get())
        }
        return try match(request, in: load(chosen))
    }

    private func match(_ request: Request, in fixtures: [Fixture]) throws(FixtureError) -> Fixture {
        let fitting = fixtures.filter { $0.fits(request) }
        if let best = fitting.max(by: { $0.query.count < $1.query.count }) {
            return fitting.first { $0.query.count == best.query.count } ?? best
        }
        let wanted = "\(request.method.rawValue) \(request.redaction.redact(url: request.url))"
        let path = "\(request.method.rawValue) \(request.pathBelowBase)"
        let nearest = fixtures.map(\.summary).min { $0.difference(from: path).count < $1.difference(from: path).count }
        throw .unmatched(request: wanted, available: fixtures.map(\.summary), nearest: nearest)
    }
}

extension Request {
    /// The path without the environment's part, as endpoints and fixtures write it: no leading slash.
    var pathBelowBase: String {
        var path = url.path[...]
        if let base = try? HTTPURL(call.channel.environment.baseURL), url.hasSameOrigin(as: base), base.path != "/" {
            let prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
            if path == prefix || path.hasPrefix(prefix + "/") { path = path.dropFirst(prefix.count) }
        }
        return String(path.drop { $0 == "/" })
    }
}

extension FixtureTransport: CustomStringConvertible, CustomReflectable {
    /// The scenario's name, without its fixtures.
    public var description: String { scenario.isEmpty ? "fixtures" : "fixtures of the scenario \(scenario)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension FixturesType {
    /// Only ``Fixture`` modifiers that are attached to endpoints and calls.
    public static let attached = FixturesType.transport(FixtureTransport([]))

    /// One folder of `.http` files per scenario, below a folder. The scenario named here answers calls without a
    /// ``Fixture/Scenario``.
    public static func directory(_ path: String, scenario: String) -> FixturesType {
        .transport(FixtureTransport(directory: path, scenario: scenario))
    }

    /// Scenarios as values. The one named here answers calls without a ``Fixture/Scenario``.
    public static func scenarios(_ scenarios: [String: [Fixture]], scenario: String) -> FixturesType {
        .transport(FixtureTransport(scenarios: scenarios, scenario: scenario))
    }

    /// The responses of a fixture transport.
    public static func transport(_ transport: FixtureTransport) -> FixturesType { FixturesType(transport: transport) }
}
