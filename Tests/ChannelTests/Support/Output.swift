import TestSupport

/// Hears the results of an interactor's delegate form.
@MainActor class Output<Value: Sendable> {
    private(set) var results: [Result<Value, APIClientError>] = []
    private(set) var wasAlwaysOnMainQueue = true

    func hear(_ result: Result<Value, APIClientError>) {
        results.append(result)
        wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
    }

    /// The only result of a call, which comes after the method has returned, and on the main actor.
    ///
    /// - Parameter other: another call, which takes long enough for a second result of the first.
    func only(of begin: () -> Void, beside other: () async throws -> Void) async throws -> Result<Value, APIClientError> {
        begin()
        #expect(results.isEmpty, "it must not be called before the method returns")
        try await eventually("the output received no result") { await !self.results.isEmpty }
        try await other()
        #expect(results.count == 1 && wasAlwaysOnMainQueue)
        return try #require(results.first)
    }
}
