/// A side effect at the end of a call, before the caller hears: sign out when the session has expired, count, navigate.
///
/// Called once per call, and once for each attempt made by hand, last, on the pipeline's thread; the caller waits for it. It sees the settled outcome and cannot change it.
public struct ResultHandler: Sendable {
    private let handle: (@Sendable (Response<Void>) async throws -> Void)?

    /// - Parameter handle: what it throws is reported to the channel's logger and changes nothing for the caller.
    public init(_ handle: @escaping @Sendable (Response<Void>) async throws -> Void) {
        self.handle = handle
    }

    /// Does nothing.
    public static let none = ResultHandler()

    private init() {
        handle = nil
    }

    func callAsFunction(_ response: Response<Void>) async {
        guard let handle else { return }
        do {
            try await handle(response)
        } catch {
            response.call.channel.logger.log(.resultHandlerFailed(error, response))
        }
    }
}
