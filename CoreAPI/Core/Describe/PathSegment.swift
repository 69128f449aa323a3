internal import CoreAPIHTTPSupport

extension DefaultStringInterpolation {
    /// Inserts a value into a path as one segment: `"orders/\(segment: id)"`. What would end the segment or begin a query is
    /// percent-encoded, so that an id from outside cannot name another resource (RFC 3986 §3.3). An empty value, `.` and `..` are
    /// refused when the request is built.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        let segment = PercentEncoding.component(value.description)
        // Nothing would name the collection itself; a dot is refused with the others.
        appendLiteral(segment.isEmpty ? "." : segment)
    }
}
