public import CoreAPICore
public import Foundation

/// An ``Upload`` or a ``Download`` that has begun.
public protocol Transfer<Value>: AnyObject, Sendable {
    /// What there is at the end: the value of an upload's answer, the file of a download.
    associatedtype Value: Sendable
    /// The type of ``progress``.
    associatedtype Updates: AsyncSequence<TransferProgress, Never> & Sendable

    /// Waits for the end. Cancelling the waiting task cancels the transfer.
    ///
    /// - Throws: the reason why the transfer failed; `.cancelled` after ``cancel()``.
    var value: Value { get async throws(APIClientError) }
    /// The present value, and then the newest one whenever the reader is ready for it. Ends with the transfer.
    var progress: Updates { get }
    /// The same as Foundation's `Progress`. Cancelling it cancels the transfer.
    var foundationProgress: Progress { get }
    /// Stops the transfer. A second call, or one after the end, does nothing.
    func cancel()
}

extension Networker {
    /// Passes a transfer's progress and its result to the interactor, on the main actor. Keeps the transfer until its end, and not
    /// the interactor.
    ///
    /// ```swift
    /// follow(upload(item), progress: { $0.output?.handleItemOfferProgress($1) }) { $0.output?.handleItemOfferResponse($1) }
    /// ```
    ///
    /// - Parameters:
    ///   - transfer: goes on if the interactor is gone.
    ///   - progress: called with the present value and each newer one.
    ///   - completion: called once, at the end; not called if the interactor is gone.
    /// - Returns: the transfer.
    @MainActor
    @discardableResult
    public func follow<Kind: Transfer>(
        _ transfer: Kind, progress: @escaping @MainActor (Self, TransferProgress) -> Void,
        completion: @escaping @MainActor (Self, Result<Kind.Value, APIClientError>) -> Void
    ) -> Kind {
        Task { [weak self] in
            for await update in transfer.progress {
                if let self { progress(self, update) }
            }
            let result: Result<Kind.Value, APIClientError>
            do throws(APIClientError) {
                result = .success(try await transfer.value)
            } catch {
                result = .failure(error)
            }
            if let self { completion(self, result) }
        }
        return transfer
    }
}
