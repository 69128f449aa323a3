public import CoreAPI
public import Foundation
@_exported public import NetworkerKitModels

/// An item to offer.
public struct DLNewItem: Sendable {
    /// A photo of the item.
    public struct Photo: Sendable {
        /// The photo's file name.
        public let name: String
        /// The photo's bytes, usually a file.
        public let body: Body

        /// Makes a photo.
        public init(name: String, body: Body) {
            self.name = name
            self.body = body
        }

        /// Makes a photo in memory.
        public init(name: String, data: Data) {
            self.init(name: name, body: .bytes(data))
        }
    }

    public let title: String
    /// The item's condition, in the seller's words.
    public let condition: String
    /// The price in Turkish lira.
    public let price: Decimal
    /// The photos; at least one.
    public let photos: [Photo]

    /// Makes an item.
    public init(title: String, condition: String, price: Decimal, photos: [Photo]) {
        self.title = title
        self.condition = condition
        self.price = price
        self.photos = photos
    }

    var form: MultipartForm {
        MultipartForm(
            [.text("title", title), .text("condition", condition), .text("price", "\(price)")]
                + photos.map { MultipartForm.Part("photo", body: $0.body, fileName: $0.name, contentType: "image/jpeg") })
    }
}

/// The item on offer.
public struct DLItemOfferResponse: Decodable, Sendable, Hashable, Identifiable {
    /// A photo in the shop's store.
    public struct Photo: Decodable, Sendable, Hashable {
        public let name: String
        /// The size in bytes.
        public let size: Int
    }

    public let id: String
    public let title: String
    public let condition: String
    public let price: Money
    public let photos: [Photo]
}
