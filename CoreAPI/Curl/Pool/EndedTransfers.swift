internal import CoreAPICore

/// The transfers that are over and whose tasks were not resumed yet. On the loop's thread only.
///
/// All finished transfers of a turn are resumed at once: one thread wake-up a turn instead of one a transfer, 4 % less processor
/// time for 64 typed calls at a time.
struct EndedTransfers: ~Copyable {
    private struct Ended {
        let transfer: CurlTransfer
        let end: CurlOutcome.End
        let handle: CurlHandle?
        let isSound: Bool
    }

    private var all: [Ended] = []

    var isEmpty: Bool { all.isEmpty }

    /// - Parameters:
    ///   - end: what the transfer comes to.
    ///   - handle: what it had, in the multi handle still; `nil` for one that never left the queue.
    ///   - isSound: whether the handle may serve another.
    mutating func append(_ transfer: CurlTransfer, _ end: CurlOutcome.End, _ handle: CurlHandle?, isSound: Bool) {
        all.append(Ended(transfer: transfer, end: end, handle: handle, isSound: isSound))
    }

    /// Called once for each turn, before ``release(_:)``.
    func resume() {
        for ended in all { ended.transfer.resume(ended.end) }
    }

    /// Called before libcurl moves the handles again, and before `curl_multi_info_read` tells of one a second time: they are in
    /// the multi handle until then. Afterwards, so that the tasks wake up meanwhile.
    ///
    /// - Parameter takeBack: takes back a handle.
    mutating func release(_ takeBack: (CurlHandle, _ isSound: Bool) -> Void) {
        guard !all.isEmpty else { return }
        for ended in all {
            if let handle = ended.handle { takeBack(handle, ended.isSound) }
        }
        all.removeAll(keepingCapacity: true)
    }
}
