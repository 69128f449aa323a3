internal import HTTPTypes

/// The lines of the request before, because most requests of a channel have the same fields: to compare them costs a tenth of making the
/// lines anew. Those with `Authorization`, `Proxy-Authorization` or `Cookie` are forgotten with their request: no secret of HTTP's own
/// lies in memory longer than it has to.
final class RecentFieldLines: Sendable {
    private struct Made {
        let fields: HTTPFields
        let hasBody: Bool
        let lines: FieldLines
    }

    private let last = Mutex<Made?>(nil)

    /// On the thread of whoever sends the request.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``.
    func lines(of request: Request) throws(RequestError) -> FieldLines {
        let (fields, hasBody) = (request.headers, !request.body.isNone)
        if let made = last.withLock({ $0 }), made.hasBody == hasBody, made.fields.equalsByteForByte(fields) { return made.lines }
        let lines = try FieldLines(fields, hasBody: hasBody)
        if !lines.namesCaller { last.withLock { $0 = Made(fields: fields, hasBody: hasBody, lines: lines) } }
        return lines
    }
}

extension HTTPFields {
    /// Whether they are the same bytes in the same order. To `==` two orders are equal, two spellings of a name, and texts that look alike:
    /// `é` in one scalar and in two, and all bytes that are no UTF-8.
    fileprivate func equalsByteForByte(_ other: HTTPFields) -> Bool {
        elementsEqual(other) { field, other in
            field.name.rawName.utf8.elementsEqual(other.name.rawName.utf8)
                && field.withUnsafeBytesOfValue { bytes in other.withUnsafeBytesOfValue { bytes.elementsEqual($0) } }
        }
    }
}
