/// One stage of a request's way; see ``Channel/stages``.
public struct Stage: Sendable, Hashable, CustomStringConvertible {
    /// What the stage does, in the order in which the kinds follow each other.
    public enum Kind: String, Sendable, CaseIterable {
        /// The endpoint is described, its parameters are encoded.
        case build
        case enhance
        /// Stands around the call.
        case call
        case adapt
        /// Stands around the attempt; after `Redirects` around each hop.
        case attempt
        case transport
        /// What enhancers make of the answer, verification among them.
        case deenhance
        case filter
        case decode
        /// Whether there is another attempt.
        case retry
        /// Another error takes the place of the one that is left.
        case translate
        case result
    }

    public let kind: Kind
    /// The type that does it.
    public let name: String

    public var description: String { "\(kind.rawValue) \(name)" }
}

extension Channel {
    /// What a call of this channel goes through, from the endpoint down to the transport and back up, the kit's own stages in
    /// place.
    ///
    /// ```swift
    /// print(channel.stages.map(\.description).joined(separator: "\n"))
    /// ```
    ///
    /// From `adapt` to `retry` it happens once for each attempt, and from the stage behind `Redirects` to the transport once for
    /// each hop.
    public var stages: [Stage] {
        let prepared = PreparedChannel(self)
        func stages(_ kind: Stage.Kind, _ parts: [Any]) -> [Stage] {
            parts.map { Stage(kind: kind, name: "\(type(of: $0))") }
        }
        func middleware(_ kind: Stage.Kind, _ chain: [any Middleware]) -> [Stage] {
            chain.map { Stage(kind: kind, name: $0.stage) }
        }
        let down =
            [Stage(kind: .build, name: "Endpoint")] + stages(.enhance, prepared.enhancers) + middleware(.call, prepared.callChain)
            + stages(.adapt, interceptors) + middleware(.attempt, prepared.attemptChain)
        let up =
            stages(.deenhance, prepared.enhancers)
            + [Stage(kind: .filter, name: "ErrorFilter"), Stage(kind: .decode, name: "ResponseDecoding")]
            + stages(.retry, interceptors + [errorHandler])
            + [Stage(kind: .translate, name: "ErrorFilter"), Stage(kind: .result, name: "ResultHandler")]
        return down + stages(.transport, [prepared.transport]) + up
    }
}
