internal import CoreAPIHTTP
internal import Foundation

/// Counts the bytes of one upload, and reports the progress.
final class UploadMeter: Sendable {
    private struct State {
        var progress = TransferProgress()
        var isEnded = false
        var watchers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var next = 0
        var mirrors: [Progress] = []
    }

    private let state = Mutex(State())
    /// Held until a change has been reported, so that no older value follows a newer one. An observer of a `Progress` may cancel
    /// the upload meanwhile, which needs the lock of the state only.
    private let reports = ManualLock()

    var progress: TransferProgress { state.withLock { $0.progress } }

    func change(_ change: (inout TransferProgress) -> Void) {
        reports.lock()
        defer { reports.unlock() }
        let (progress, watchers, mirrors) = state.withLock { state in
            change(&state.progress)
            return (state.progress, Array(state.watchers.values), state.mirrors)
        }
        for mirror in mirrors { mirror.show(progress) }
        for watcher in watchers { watcher.yield(progress) }
    }

    /// Ends the reports.
    func end() {
        let (watchers, mirrors) = state.withLock { state in
            defer { (state.isEnded, state.watchers, state.mirrors) = (true, [:], []) }
            return (Array(state.watchers.values), state.mirrors)
        }
        for watcher in watchers { watcher.finish() }
        for mirror in mirrors { mirror.cancellationHandler = nil }
    }

    /// The current value first, then the newest one each time the reader asks.
    var updates: AsyncStream<TransferProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { watcher in
            let number = state.withLock { state in
                defer { state.next += 1 }
                watcher.yield(state.progress)
                if !state.isEnded { state.watchers[state.next] = watcher }
                return state.isEnded ? nil : state.next
            }
            guard let number else { return watcher.finish() }
            watcher.onTermination = { [weak self] _ in self?.leave(number) }
        }
    }

    private func leave(_ number: Int) {
        _ = state.withLock { $0.watchers.removeValue(forKey: number) }
    }

    /// Updates Foundation's `Progress`.
    func mirror(in mirror: Progress) {
        reports.lock()
        defer { reports.unlock() }
        mirror.show(progress)
        state.withLock { state in
            if !state.isEnded { state.mirrors.append(mirror) }
        }
    }
}
