internal import CoreAPICoding
internal import CoreAPIRedaction
internal import CoreAPITrust

extension Channel {
    /// One difference between two channels, in words that may be shown.
    public struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The property that differs.
        public let field: String
        /// Its value in this channel.
        public let mine: String
        /// Its value in the other channel.
        public let theirs: String
        public var description: String { "\(field): \(mine) ≠ \(theirs)" }
    }

    /// The differences between this channel and another, secrets redacted. Modifiers are compared by their values, other hooks by
    /// their types, closures not at all.
    ///
    /// ```swift
    /// Channel.dl.differences(from: .dl.at(.staging))
    /// // environment: production ≠ staging, environment.baseURL: https://api… ≠ https://stage…
    /// ```
    public func differences(from other: Channel) -> [Channel.Difference] {
        zip(facts, other.facts).compactMap { mine, theirs in
            mine.value == theirs.value ? nil : Channel.Difference(field: mine.field, mine: mine.value, theirs: theirs.value)
        }
    }

    private var facts: [(field: String, value: String)] {
        func types(_ values: [Any]) -> String { values.map { String(describing: type(of: $0)) }.joined(separator: ", ") }
        func list(_ headers: Headers, of group: String = "") -> [String] {
            headers.elements.map { "\(group)\($0.name): \(redaction.redact($0.value, under: $0.name))" }
        }
        let groups = environment.specificHeaders.sorted { $0.key < $1.key }
        let trust = environment.serverTrustManager
        let pins = trust.pins.pins.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: " "))" }
        return [
            ("name", name),
            ("environment", environment.name),
            ("environment.baseURL", redaction.redact(base: environment.baseURL)),
            ("environment.commonHeaders", list(environment.commonHeaders).joined(separator: ", ")),
            ("environment.specificHeaders", groups.flatMap { list($0.value, of: "\($0.key): ") }.joined(separator: ", ")),
            ("environment.fixturesType", environment.fixturesType.transport == nil ? "none" : "fixtures"),
            ("environment.overridesBaseURLs", "\(environment.overridesBaseURLs)"),
            ("environment.cachePolicy", "\(environment.cachePolicy)"),
            ("environment.isSimulated", "\(environment.isSimulated)"),
            ("environment.allowsInsecureConnections", "\(environment.allowsInsecureConnections)"),
            ("environment.insecureHosts", environment.insecureHosts.sorted().joined(separator: ", ")),
            ("environment.serverTrustManager.authorities", trust.authorities.summary),
            ("environment.serverTrustManager.pins", pins.joined(separator: ", ")),
            ("environment.serverTrustManager.isPinningActive", "\(trust.isPinningActive)"),
            ("credentials", credentials == nil ? "by variable" : "given"),
            ("payload", payload),
            ("modifiers", modifiers.map { redaction.redact(text: "\($0)") }.joined(separator: ", ")),
            ("enhancers", types(enhancers)),
            ("interceptors", types(interceptors)),
            ("callMiddleware", types(callMiddleware)),
            ("attemptMiddleware", types(attemptMiddleware)),
            ("errorHandler", types([errorHandler])),
            ("logger", logger.map { types([$0]) } ?? "none"),
            ("listeners", types(listeners)),
            ("hosts", hosts.map { "\($0.rawValue): \(redaction.redact(base: $1.baseURL))" }.joined(separator: ", ")),
            ("coder", coder.contentType),
            ("query", "\(query)"),
            ("fieldsForOtherOrigins", fieldsForOtherOrigins.sorted().joined(separator: ", ")),
            ("cookies", cookies == nil ? "off" : "on"),
            ("limits", "\(limits)"),
            ("transport", types([transport])),
        ]
    }
}
