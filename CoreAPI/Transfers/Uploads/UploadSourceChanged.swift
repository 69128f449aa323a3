public import Foundation

/// The source of an upload has changed since the upload began. A file has shrunk, grown or changed; bytes or a sequence have
/// another number or other content. The upload fails with `TransportError.bodyUnreadable(_:)` around this error.
public struct UploadSourceChanged: Error, Hashable, LocalizedError {
    /// The expected and the found source, in words.
    public let reason: String

    public var errorDescription: String? { reason }

    /// - Parameters:
    ///   - count: the number of bytes read so far.
    ///   - length: the expected number of bytes; `nil` if it is not known.
    ///   - isEnd: whether the source has ended.
    static func check(_ count: Int64, of length: Int64?, isEnd: Bool) throws(UploadSourceChanged) {
        guard let length else { return }
        if count > length { throw UploadSourceChanged(reason: "expected \(length) bytes, but the source goes on after them") }
        if isEnd, count < length {
            throw UploadSourceChanged(reason: "expected \(length) bytes, but the source ended after \(count)")
        }
    }
}
