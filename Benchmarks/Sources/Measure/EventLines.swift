/// A plain reader of lines, for clients that know no events. It keeps the data of an event until its empty line, and does nothing
/// else that the standard wants: no other fields, no lines that end in CR, no byte order mark.
public struct EventLines {
    private static let field = Array("data: ".utf8)
    private static let lineFeed = UInt8(ascii: "\n")
    private var line: [UInt8] = []
    private var data: [UInt8] = []

    public init() {}

    /// - Parameter event: receives the data of each event that ends in these bytes.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, _ event: ([UInt8]) throws -> Void) rethrows {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: Self.lineFeed) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            if line.starts(with: Self.field) {
                data += line[Self.field.count...]
            } else if line.isEmpty {
                try event(data)
                data.removeAll(keepingCapacity: true)
            }
            line.removeAll(keepingCapacity: true)
        }
        line += rest
    }
}
