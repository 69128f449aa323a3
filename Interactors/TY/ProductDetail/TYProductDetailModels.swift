public import Foundation
@_exported public import NetworkerKitModels

/// A product's details.
public struct TYProductDetailResponse: Decodable, Sendable, Hashable, Identifiable {
    public let id: Int
    public let name: String
    public let brand: String
    public let description: String
    public let price: Money
    /// 0 to 5.
    public let rating: Double
    public let imageURL: URL
    public let attributes: [TYProductAttribute]
    public let seller: TYSeller
    public let inStock: Bool
}

/// A property of a product, in the language of the request.
public struct TYProductAttribute: Decodable, Sendable, Hashable {
    public let name: String
    public let value: String
}

/// The seller of a product.
public struct TYSeller: Decodable, Sendable, Hashable, Identifiable {
    public let id: Int
    public let name: String
    /// 0 to 10.
    public let score: Double
}
