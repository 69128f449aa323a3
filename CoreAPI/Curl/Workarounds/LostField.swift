internal import CoreAPIHTTP
internal import HTTPTypes

extension CurlDefect {
    /// libcurl leaves out a header line whose value has 300 KiB or more (`MAX_HTTP_RESP_HEADER_SIZE`), without an error. Seen
    /// with 8.14.1; by its source the limit came with 8.13.0. 7.88.1 sends such a line.
    ///
    /// The kit rejects the request. Also `RequestOnTheWireTests`.
    static let lostField = CurlDefect(2, in: CurlVersion(8, 13, 0) ..< .unreleased)
}

extension HTTPFields {
    private static let longestSent = 300 * 1_024 - 1

    /// Checks that a libcurl sends every field.
    ///
    /// - Parameter size: of all lines.
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``.
    func checkLengths(size: Int, _ library: CurlLibrary) throws(RequestError) {
        guard size > Self.longestSent, library.has(.lostField) else { return }
        // Cookies become one line.
        let cookies = self[fields: .cookie].reduce(0) { $0 + $1.value.utf8.count + 2 }
        for field in self {
            let count = field.name == .cookie ? cookies : field.value.utf8.count
            guard count > Self.longestSent else { continue }
            let reason = "the value has \(count) bytes; this libcurl sends at most \(Self.longestSent)"
            throw .malformedHeader(name: field.name.rawName, reason: reason)
        }
    }
}
