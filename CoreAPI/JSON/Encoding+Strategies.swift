internal import Foundation

/// Dates, bytes and non-finite numbers, by the encoder's strategies.
extension Encoding {
    final func date(_ date: Date) throws -> UInt32 {
        switch tree.settings.dateEncodingStrategy {
        case .deferredToDate:
            try date.encode(to: self)
            return take()
        case .secondsSince1970: return try number(date.timeIntervalSince1970)
        case .millisecondsSince1970: return try number(1_000 * date.timeIntervalSince1970)
        case .iso8601:
            return tree.scalar { tree in
                if !ISO8601Text.write(date, to: tree) { tree.string(date.formatted(.iso8601)) }
            }
        case .custom(let encode):
            try encode(date, self)
            return taken()
        #if canImport(Darwin)
        case .formatted(let formatter): return tree.scalar { $0.string(formatter.string(from: date)) }
        @unknown default:
            try date.encode(to: self)
            return taken()
        #endif
        }
    }

    final func data(_ data: Data) throws -> UInt32 {
        switch tree.settings.dataEncodingStrategy {
        case .deferredToData:
            try data.encode(to: self)
            return taken()
        case .base64: return tree.scalar { $0.string(data.base64EncodedString()) }
        case .custom(let encode):
            try encode(data, self)
            return taken()
        #if canImport(Darwin)
        @unknown default:
            try data.encode(to: self)
            return taken()
        #endif
        }
    }

    private final func taken() -> UInt32 {
        let node = take()
        return node != 0 ? node : tree.emptyObject(in: depth)
    }

    /// A date as a number. The strategy for non-finite numbers does not apply.
    private final func number(_ seconds: Double) throws -> UInt32 {
        guard seconds.isFinite else { throw OutputTree.nonConforming(seconds, codingPath) }
        return tree.scalar { $0.double(seconds) }
    }
}

extension OutputTree {
    /// - Parameter path: the path to the number.
    @inline(__always)
    func double(_ value: Double, _ path: () -> [any CodingKey]) throws {
        guard value.isFinite else { return try nonConforming(value, path) }
        double(value)
    }

    @inline(__always)
    func float(_ value: Float, _ path: () -> [any CodingKey]) throws {
        guard value.isFinite else { return try nonConforming(value, path) }
        float(value)
    }

    @inline(never)
    private func nonConforming(_ value: some BinaryFloatingPoint, _ path: () -> [any CodingKey]) throws {
        guard case .convertToString(let positive, let negative, let nan) = settings.nonConformingFloatEncodingStrategy else {
            throw Self.nonConforming(value, path())
        }
        string(value.isNaN ? nan : value > 0 ? positive : negative)
    }

    static func nonConforming(_ value: some BinaryFloatingPoint, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: "expected a finite number, found \(value)"))
    }
}
