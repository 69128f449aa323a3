public import CoreAPICore
public import Foundation

/// An ``Upload`` or a ``Download`` in progress.
public protocol Transfer<Value>: AnyObject, Sendable {
    /// The result: the value of an upload's response, or the file of a download.
    associatedtype Value: Sendable
    /// The type of ``progress``.
    associatedtype Updates: AsyncSequence<TransferProgress, Never> & Sendable

    /// Waits for the end. Cancelling the waiting task cancels the transfer.
    ///
    /// - Throws: `APIClientError`; `.cancelled` after ``cancel()``.
    var value: Value { get async throws(APIClientError) }
    /// The current value first, then the newest one each time the reader asks. Ends with the transfer.
    var progress: Updates { get }
    /// The progress as Foundation's `Progress`. Cancelling it cancels the transfer.
    var foundationProgress: Progress { get }
    /// Stops the transfer. A second call, or one after the end, does nothing.
    func cancel()
}

extension Networker {
    /// Passes a transfer's progress and its result to the interactor, on the main actor. Retains the transfer until its end, but
    /// not the interactor.
    ///
    /// ```swift
    /// follow(upload(item), progress: { $0.output?.handleItemOfferProgress($1) }) { $0.output?.handleItemOfferResponse($1) }
    /// ```
    ///
    /// - Parameters:
    ///   - transfer: continues if the interactor is released.
    ///   - progress: called with the current value and each newer one.
    ///   - completion: called once, at the end; not called if the interactor was released.
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
