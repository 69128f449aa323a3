/// A wish attached to a channel, a provider, an endpoint or a call and read by a ``RequestEnhancer``.
///
/// Use a modifier to say *what* (a header, a timeout, a tag of your own) and an enhancer to say *how* it changes the request.
/// When several of one type are attached, the nearest to the call wins: call over endpoint over provider over channel.
///
/// ```swift
/// try await networkManager.attaching(Timeout(.seconds(5))).request(endpoint: .orderList(path: "page=1"))
/// ```
///
/// A marker: it is read, never called, on whatever thread the pipeline runs.
public protocol RequestModifier: Sendable {
    /// Whether several of this type at one level mean something, as headers do. Where they do not, a second one fails the call
    /// with ``RequestError/duplicateModifier(type:)``. Default `true`.
    static var allowsSeveral: Bool { get }
}

extension RequestModifier {
    public static var allowsSeveral: Bool { true }
}

extension BodyCoder: RequestModifier {
    public static var allowsSeveral: Bool { false }
}
