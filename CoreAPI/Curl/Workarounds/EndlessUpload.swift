internal import CCurl
internal import CoreAPICore

extension Defect {
    /// An answer that is whole before its request is sent does not end the transfer.
    ///
    /// - Over HTTP/1.1 libcurl sends all the rest behind a success. Where the server closes, it ends with `CURLE_SEND_ERROR`;
    ///   where the server stops reading, it waits for ever.
    /// - Over HTTP/2 it goes on sending, spins for ever because window updates are no longer read, or discards the answer at the
    ///   RST_STREAM(NO_ERROR) by which the server asks for no more (RFC 9113 §8.1).
    ///
    /// The kit ends the transfer itself when the answer has reached its `Content-Length` or has no body, and over HTTP/2 at its
    /// END_STREAM, with the reset hidden from libcurl (``HTTP2StreamMonitor/takeWhole()``). An answer without a length, whose
    /// end is not seen either, is left to the clocks. Shown by `WorkaroundTests.endlessUpload` and `EarlyAnswerTests`.
    static let endlessUpload = Defect(9, in: .every)
}

extension CurlTransfer {
    /// Whether a part of the request is still to be sent.
    fileprivate var isSending: Bool {
        guard let length = upload.length else { return !upload.isAtEnd }
        return length > 0 && handle?.uploadedBytes != length
    }

    /// Whether the answer has come to an end that its head announced.
    fileprivate var isAnswerWhole: Bool {
        guard hasHead, let handle else { return false }
        if handle.head.isNoContent || handle.head.isNotModified { return true }
        return handle.announcedBytes >= 0 && bytesTaken == handle.announcedBytes
    }

    /// A head is whole: its answer may be before the request is.
    func noteEarlyHead(in connections: LoopConnections) {
        guard upload.length != 0, isSending, connections.library.has(.endlessUpload) else { return }
        connections.early.append(self)
    }

    /// Whether the failure to send the rest of the request comes after the whole answer, and so does not matter.
    func isOver(in spite: CURLcode) -> Bool {
        spite == CURLE_SEND_ERROR && isAnswerWhole && handle?.library.has(.endlessUpload) == true
    }
}

extension LoopConnections {
    /// The transfers whose answers are whole, though libcurl is still sending their requests.
    func takeWhole() -> [CurlTransfer] {
        guard !early.isEmpty else { return [] }
        early.removeAll { $0.stage != .active || !$0.isSending }
        return early.filter(\.isAnswerWhole)
    }
}
