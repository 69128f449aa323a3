extension DefaultStringInterpolation {
    /// Inserts a value into a path as one segment: `"orders/\(segment: id)"`. Characters that would end the segment or begin a
    /// query are percent-encoded, so that an id from outside cannot name another resource (RFC 3986 §3.3). An empty value, `.`
    /// and `..` are rejected when the request is built.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        let segment = PercentEncoding.component(value.description)
        // An empty segment would name the collection itself. A dot is rejected like the others.
        appendLiteral(segment.isEmpty ? "." : segment)
    }
}
