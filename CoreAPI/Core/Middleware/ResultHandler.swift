/// A side effect at the end of a call, before the caller gets the result: sign out when the session has expired, count, navigate.
public struct ResultHandler: Sendable {
    private let handle: (@Sendable (Response<Void>) async throws -> Void)?

    /// Handles results by a function, called as ``ResultHandling/handle(_:)`` is.
    public init(_ handle: @escaping @Sendable (Response<Void>) async throws -> Void) { self.handle = handle }
    /// A handler of your own type.
    public init(_ handler: some ResultHandling) { handle = handler.handle }

    /// Does nothing.
    public static let none = ResultHandler()

    private init() { handle = nil }

    func callAsFunction(_ raw: RawResponse) async {
        guard let handle else { return }
        let response = Response<Void>(raw)
        do {
            try await handle(response)
        } catch {
            raw.call.notify(.resultHandlerFailed(response, error))
        }
    }
}

/// A side effect at the end of a call, by your own type: `channel.resultHandler = ResultHandler(SignOut())`.
public protocol ResultHandling: Sendable {
    /// Called last, in Swift's thread pool, once per call and once per manual attempt; the caller waits for it. It sees
    /// the final outcome and cannot change it. An error that it throws is reported to listeners; the caller's result stays.
    func handle(_ response: Response<Void>) async throws
}
