import CoreAPIJSON
import Foundation

/// A document and a type, for both decoders and both encoders.
struct Shape {
    let name: String
    let title: String
    /// The number of objects, or of values if there are none. Allocations are reported per object.
    let objects: Int
    let decoding: Direction
    let encoding: Direction

    init<Value: Codable & Equatable>(
        _ name: String, _ title: String, _ text: String, as type: Value.Type, objects: Int, promised: Double? = nil,
        allocationLimit: Double? = nil, promisedEncoding: Double? = 3, encodingLimit: Double? = nil,
        dates: JSONDecoder.DateDecodingStrategy = .deferredToDate, keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) throws {
        let data = Data(text.utf8)
        var decoder = JSONBodyDecoder()
        decoder.dateDecodingStrategy = dates
        decoder.keyDecodingStrategy = keys
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = dates
        foundation.keyDecodingStrategy = keys
        let value = try decoder.decode(type, from: data)
        guard try foundation.decode(type, from: data) == value else { throw Difference(shape: name) }

        self.name = name
        self.title = title
        self.objects = objects
        decoding = Direction(
            bytes: data.count, promised: promised, allocationLimit: allocationLimit,
            kit: { [decoder] in for _ in 0..<$0 { _ = try decoder.decode(type, from: data) } },
            foundation: { for _ in 0..<$0 { _ = try foundation.decode(type, from: data) } })
        encoding = try Direction(
            encoding: value, name, promised: promisedEncoding, allocationLimit: encodingLimit, dates: dates, keys: keys)
    }

    static func all() throws -> [Shape] {
        var texts = Texts()
        return [
            try Shape(
                "object", "one small object", texts.product(5), as: Product.self, objects: 1, promised: 5, allocationLimit: 3),
            try Shape("page", "a page of 9", texts.page(), as: ProductPage.self, objects: 10, promised: 5, allocationLimit: 3),
            try Shape(
                "array", "1,000 small objects", texts.products(1_000), as: [Product].self, objects: 1_000, promised: 5,
                allocationLimit: 3, encodingLimit: 1.5),
            try Shape("nested", "nested objects", texts.orders(220), as: [Order].self, objects: 220 * 11, promised: 5),
            try Shape("doubles", "floating-point numbers", texts.doubles(5_000), as: [Double].self, objects: 5_000, promised: 5),
            try Shape("integers", "integers", texts.integers(12_000), as: [Int].self, objects: 12_000, promised: 5),
            try Shape("articles", "long strings, few escapes", texts.articles(50), as: [String].self, objects: 50, promised: 4),
            try Shape("escapes", "long strings, many escapes", texts.escaped(200), as: [String].self, objects: 200, promised: 4),
            try Shape(
                "chinese", "long strings, little ASCII", texts.chinese(60), as: [String].self, objects: 60,
                promisedEncoding: nil),
            try Shape(
                "dates", "dates in ISO 8601", texts.events(500), as: [Event].self, objects: 500, promised: 2, dates: .iso8601),
            try Shape(
                "dictionaries", "dictionaries", texts.dictionaries(300), as: [[String: String]].self, objects: 300, promised: 2),
            try Shape("enums", "enums with payloads", texts.drawing(900), as: Drawing.self, objects: 900, promised: 2),
            try Shape(
                "snake", "keys in snake case", texts.users(800), as: [User].self, objects: 800, keys: .convertFromSnakeCase),
        ]
    }
}

/// Decoding or encoding, by the kit and by Foundation.
struct Direction {
    let bytes: Int
    /// The promised speed relative to Foundation's; `nil` without a promise.
    let promised: Double?
    /// The promised limit of the kit's allocations per object; `nil` without a promise.
    let allocationLimit: Double?
    /// Runs both the given number of times.
    let kit: (Int) throws -> Void
    let foundation: (Int) throws -> Void
}

extension Direction {
    /// As channels send bodies: keys sorted, slashes unescaped.
    init(
        encoding value: some Encodable, _ name: String, promised: Double?, allocationLimit: Double?,
        dates: JSONDecoder.DateDecodingStrategy, keys: JSONDecoder.KeyDecodingStrategy
    ) throws {
        var settings = JSONBodyEncoder()
        let foundation = JSONEncoder()
        settings.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        foundation.outputFormatting = settings.outputFormatting
        if case .iso8601 = dates {
            settings.dateEncodingStrategy = .iso8601
            foundation.dateEncodingStrategy = .iso8601
        }
        if case .convertFromSnakeCase = keys {
            settings.keyEncodingStrategy = .convertToSnakeCase
            foundation.keyEncodingStrategy = .convertToSnakeCase
        }
        let encoder = settings
        let text = try encoder.encode(value)
        guard try foundation.encode(value) == text else { throw Difference(shape: name) }
        self.init(
            bytes: text.count, promised: promised, allocationLimit: allocationLimit,
            kit: { for _ in 0..<$0 { _ = try encoder.encode(value) } },
            foundation: { for _ in 0..<$0 { _ = try foundation.encode(value) } })
    }
}

struct Difference: Error, CustomStringConvertible {
    let shape: String

    var description: String { "\(shape): the kit and Foundation give different answers" }
}
