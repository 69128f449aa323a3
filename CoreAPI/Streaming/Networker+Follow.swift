public import CoreAPICore

extension Networker {
    /// Passes the elements of a sequence to the interactor, one after the other on the main actor. Does not retain the
    /// interactor. After its release the sequence ends at the next element; cancel the handle to end it at once.
    ///
    /// ```swift
    /// following = follow(events(orderID: id)) {
    ///     $0.output?.handleOrderEvent($1.data)
    /// } end: {
    ///     $0.output?.handleOrderEventsEnd($1)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: events, lines, chunks or decoded items.
    ///   - element: called with each element.
    ///   - end: called once, with the error or `nil`; not called after ``/CoreAPI/Cancellable/cancel()``.
    /// - Returns: a handle to cancel with.
    @MainActor
    @discardableResult
    public func follow<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, element: @escaping @MainActor (Self, Elements.Element) -> Void,
        end: @escaping @MainActor (Self, APIClientError?) -> Void
    ) -> Cancellable where Elements.Failure == APIClientError {
        let task = Task { [weak self] in
            var failure: APIClientError?
            do throws(APIClientError) {
                for try await next in elements {
                    guard let self, !Task.isCancelled else { return }
                    element(self, next)
                }
            } catch {
                failure = error
            }
            if let self, !Task.isCancelled { end(self, failure) }
        }
        return Cancellable { task.cancel() }
    }
}
