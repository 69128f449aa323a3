public import Foundation

/// The source of an upload is not what it was when the upload began: a file that has shrunk, grown or changed, or a sequence with
/// another number of bytes. The upload fails with `TransportError.bodyUnreadable(_:)` around this error.
public struct UploadSourceChanged: Error, Hashable, LocalizedError {
    /// What was expected and what was found, in words.
    public let reason: String

    public var errorDescription: String? { reason }

    /// - Parameters:
    ///   - count: the bytes that were read so far.
    ///   - length: the bytes that were expected; `nil` if the number was not known.
    ///   - isEnd: whether the source has no more.
    static func check(_ count: Int64, of length: Int64?, isEnd: Bool) throws(UploadSourceChanged) {
        guard let length else { return }
        if count > length { throw UploadSourceChanged(reason: "expected \(length) bytes, but the source goes on after them") }
        if isEnd, count < length {
            throw UploadSourceChanged(reason: "expected \(length) bytes, but the source ended after \(count)")
        }
    }
}
