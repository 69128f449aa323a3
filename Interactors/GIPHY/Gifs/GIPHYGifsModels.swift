public import Foundation

/// A page of GIFs, in GIPHY's own three parts.
public struct GIPHYGifsResponse: Decodable, Sendable, Hashable {
    public let data: [GIPHYGif]
    public let pagination: GIPHYPagination
    public let meta: GIPHYMeta
}

/// A GIF (https://developers.giphy.com/docs/api/schema#gif-object).
public struct GIPHYGif: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    /// The URL of its page.
    public let url: URL
    /// Empty for a GIF without an owner.
    public let username: String
    public let rating: GIPHYRating
    public let images: GIPHYImages
}

/// Two of the two dozen forms of a GIF; GIPHY always sends these.
public struct GIPHYImages: Decodable, Sendable, Hashable {
    /// The uploaded form.
    public let original: GIPHYImage
    /// 200 pixels high.
    public let fixedHeight: GIPHYImage

    private enum CodingKeys: String, CodingKey {
        case original
        case fixedHeight = "fixed_height"
    }
}

/// One form of a GIF.
public struct GIPHYImage: Decodable, Sendable, Hashable {
    public let url: URL
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    private enum CodingKeys: CodingKey {
        case url, width, height
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        // GIPHY writes numbers as strings.
        func pixels(_ key: CodingKeys) throws -> Int {
            let text = try container.decode(String.self, forKey: key)
            guard let number = Int(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "expected a number of pixels, got '\(text)'")
            }
            return number
        }
        width = try pixels(.width)
        height = try pixels(.height)
    }
}

/// The audience that a GIF is suitable for. An unknown rating is kept, not rejected.
public struct GIPHYRating: RawRepresentable, Codable, Sendable, Hashable {
    public static let g = GIPHYRating(rawValue: "g")
    public static let pg = GIPHYRating(rawValue: "pg")
    public static let pg13 = GIPHYRating(rawValue: "pg-13")
    public static let r = GIPHYRating(rawValue: "r")

    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The position of a page in the whole list.
public struct GIPHYPagination: Decodable, Sendable, Hashable {
    /// How many items were skipped.
    public let offset: Int
    /// How many items the page has.
    public let count: Int
    /// How many items there are in all.
    public let totalCount: Int

    private enum CodingKeys: String, CodingKey {
        case offset, count
        case totalCount = "total_count"
    }
}

/// The status of the request.
public struct GIPHYMeta: Decodable, Sendable, Hashable {
    /// The status line's code.
    public let status: Int
    public let message: String
    /// Identifies the response for GIPHY's support.
    public let responseID: String

    private enum CodingKeys: String, CodingKey {
        case status
        case message = "msg"
        case responseID = "response_id"
    }
}
