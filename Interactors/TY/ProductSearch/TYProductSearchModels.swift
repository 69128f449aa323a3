public import Foundation
@_exported public import NetworkerKitModels

/// One page of a search.
public struct TYProductSearchResponse: Decodable, Sendable, Hashable {
    public let products: [TYProduct]
    /// From 0.
    public let page: Int
    /// Products per page.
    public let size: Int
    /// Products on all pages.
    public let totalCount: Int
    public let hasNext: Bool
}

/// A product of the search.
public struct TYProduct: Decodable, Sendable, Hashable, Identifiable {
    public let id: Int
    public let name: String
    public let brand: String
    public let price: Money
    /// 0 to 5.
    public let rating: Double
    public let imageURL: URL
}
