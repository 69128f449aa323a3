public import CoreAPICore
internal import CoreAPIHTTP
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
            for await update in transfer.progress { if let self { progress(self, update) } }
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

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far. The number falls if a body is sent or requested again from its beginning.
    public var completed: Int64
    /// The total number of bytes; `nil` if it is not known.
    public var total: Int64?
    /// The part of ``completed`` that an earlier download or upload had transferred. 0 if this one begins anew, for example
    /// because the server no longer has the same file.
    public var reused: Int64 = 0
    /// How often the transfer has begun again without the bytes that it had.
    package var restarts = 0

    /// Makes a value, in bytes.
    public init(completed: Int64 = 0, total: Int64? = nil) { (self.completed, self.total) = (completed, total) }

    /// The completed fraction, from 0 to 1; `nil` without a total.
    public var fraction: Double? { total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 } }
}

/// Keeps the progress of one transfer, and reports it.
final class TransferMeter: Sendable {
    private struct State {
        var progress = TransferProgress()
        var isEnded = false
        var watchers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var next = 0
        var mirrors: [Progress] = []
    }

    private let state = Mutex(State())
    /// Held until a change has been reported, so that no older value follows a newer one. An observer of a `Progress` may cancel
    /// the transfer meanwhile, which needs the lock of the state only.
    private let reports = Mutex(())
    private let mayBeginAgain: Bool

    init(mayBeginAgain: Bool = false) { self.mayBeginAgain = mayBeginAgain }

    func change(_ change: (inout TransferProgress) -> Void) {
        reports.withLock { _ in
            let now = state.withLock { state in
                change(&state.progress)
                return state
            }
            for mirror in now.mirrors { mirror.show(now.progress) }
            for watcher in now.watchers.values { watcher.yield(now.progress) }
        }
    }

    func end() {
        let ended = state.withLock { state in
            defer { (state.isEnded, state.watchers, state.mirrors) = (true, [:], mayBeginAgain ? state.mirrors : []) }
            return state
        }
        for watcher in ended.watchers.values { watcher.finish() }
        if !mayBeginAgain { for mirror in ended.mirrors { mirror.cancellationHandler = nil } }
    }

    func beginAgain() { state.withLock { $0.isEnded = false } }

    var updates: AsyncStream<TransferProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { watcher in
            let number = state.withLock { state in
                defer { state.next += 1 }
                watcher.yield(state.progress)
                if !state.isEnded { state.watchers[state.next] = watcher }
                return state.isEnded ? nil : state.next
            }
            guard let number else { return watcher.finish() }
            watcher.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
            }
        }
    }

    func mirror(in mirror: Progress) {
        reports.withLock { _ in
            let progress = state.withLock { state in
                if mayBeginAgain || !state.isEnded { state.mirrors.append(mirror) }
                return state.progress
            }
            mirror.show(progress)
        }
    }
}

extension Progress {
    fileprivate func show(_ progress: TransferProgress) {
        // In Foundation a negative total means an unknown one.
        totalUnitCount = progress.total ?? -1
        completedUnitCount = progress.completed
    }
}
