public import CoreAPICoding

/// A setting of a channel, a provider, an endpoint or a call: a header, a timeout. A ``RequestEnhancer`` applies it.
///
/// Use a modifier to say *what* (a header, a timeout, your own tag) and an enhancer to say *how* it changes the request. Among
/// several of one type the nearest to the call wins: call over endpoint over provider over channel.
///
/// ```swift
/// try await networkManager.attaching(Timeout(.seconds(5))).request(endpoint: .orderList(page: 1))
/// ```
///
/// A value that stages of the pipeline read, on any thread. It changes nothing by itself.
public protocol RequestModifier: Sendable {
    /// Whether several of this type at one level make sense, as for headers. If `false`, a second one fails the call with
    /// ``RequestError/duplicateModifier(type:)``. Default `true`.
    static var allowsSeveral: Bool { get }
}

extension RequestModifier {
    public static var allowsSeveral: Bool { true }
}

extension BodyCoder: RequestModifier {
    public static var allowsSeveral: Bool { false }
}
