/// One stage of a request; see ``Channel/stages``.
public struct Stage: Sendable, Hashable, CustomStringConvertible {
    /// What the stage does, in the order in which the kinds follow each other.
    public enum Kind: String, Sendable, CaseIterable {
        /// The endpoint is described, its parameters are encoded.
        case build
        /// Enhancers complete the request, once per call.
        case enhance
        /// Middleware that wraps the call.
        case call
        /// Interceptors adapt each attempt.
        case adapt
        /// Middleware that wraps the attempt; after `Redirects`, each hop.
        case attempt
        /// The transport sends the request and receives the response.
        case transport
        /// Enhancers change the response, verification among them.
        case deenhance
        /// The error filter looks for an error in the response.
        case filter
        /// The body becomes a value.
        case decode
        /// Interceptors and the error handler decide about another attempt.
        case retry
        /// Another error replaces the remaining one.
        case translate
        /// The result handler receives the outcome before the caller.
        case result
    }

    /// What the stage does.
    public let kind: Kind
    /// The type that runs the stage.
    public let name: String
    public var description: String { "\(kind.rawValue) \(name)" }

    /// A hook that may run at several stages, and says at which it does something.
    public protocol Hook: Sendable {
        /// The stages at which ``Channel/stages`` lists the hook, such as `[.enhance]`. It changes nothing else. The default is
        /// every stage of the hook's kind, because the kit cannot see which methods a type implements.
        var stages: Set<Stage.Kind> { get }
    }
}

extension Stage.Hook {
    public var stages: Set<Stage.Kind> { Set(Stage.Kind.allCases) }
}

extension Channel {
    /// The stages of this channel's calls, from the endpoint down to the transport and back up, the kit's own included.
    /// A hook is listed where it does something; see ``Stage/Hook``.
    /// `adapt` to `retry` run per attempt. Stages listed after `Redirects`, down to the transport, run per hop.
    ///
    /// ```swift
    /// print(channel.stages.map(\.description).joined(separator: "\n"))
    /// ```
    public var stages: [Stage] {
        let prepared = PreparedChannel(self).current
        func hooks(at kind: Stage.Kind) -> [String] {
            func names(_ hooks: [any Stage.Hook]) -> [String] {
                hooks.filter { $0.stages.contains(kind) }.map { "\(type(of: $0))" }
            }
            return switch kind {
            case .build: ["Endpoint"]
            case .enhance, .deenhance: names(prepared.enhancers)
            case .call: prepared.callChain.map(\.stage)
            case .adapt: names(interceptors)
            case .attempt: prepared.attemptChain.map(\.stage)
            case .transport: ["\(type(of: prepared.transport))"]
            case .filter, .translate: ["ErrorFilter"]
            case .decode: ["ResponseDecoding"]
            case .retry: names(interceptors) + names([errorHandler])
            case .result: ["ResultHandler"]
            }
        }
        return Stage.Kind.allCases.flatMap { kind in hooks(at: kind).map { Stage(kind: kind, name: $0) } }
    }
}
