/// A wish attached to a channel, a provider or an endpoint and read by a ``RequestEnhancer``.
///
/// Use a modifier to say *what* (a header, a timeout, a tag of your own) and an enhancer to say *how* it changes the request. When
/// several of one type are attached, the nearest to the call wins: endpoint over provider over channel.
///
/// A marker without requirements: it is read, never called, on whatever thread the pipeline runs.
public protocol RequestModifier: Sendable {}
