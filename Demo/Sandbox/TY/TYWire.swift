import NetworkerKitModels

/// The envelope of a success.
struct TYSuccess<Result: Encodable>: Encodable {
    let isSuccess = true
    let statusCode = 200
    let result: Result
}

/// One page of a search.
struct TYSearchResult: Encodable {
    let products: [TYProductCard]
    let page: Int
    let size: Int
    let totalCount: Int
    let hasNext: Bool
}

/// A product in a list.
struct TYProductCard: Encodable {
    let id: Int
    let name: String
    let brand: String
    let price: Money
    let rating: Double
    let imageURL: String

    init(_ product: TYProduct) {
        id = product.id
        name = product.name
        brand = product.brand
        price = product.price
        rating = product.rating
        imageURL = product.imageURL
    }
}

/// A product's details.
struct TYProductDetail: Encodable {
    let id: Int
    let name: String
    let brand: String
    let description: String
    let price: Money
    let rating: Double
    let imageURL: String
    let attributes: [TYAttribute]
    let seller: TYSeller
    let inStock: Bool

    init(_ product: TYProduct) {
        id = product.id
        name = product.name
        brand = product.brand
        description = "\(product.brand) \(product.name). \(product.kind.description)"
        price = product.price
        rating = product.rating
        imageURL = product.imageURL
        attributes = product.kind.attributes
        seller = TYSeller.all[product.id % TYSeller.all.count]
        // Every ninth product is sold out, so that both cases occur.
        inStock = product.id % 9 != 0
    }
}

/// A property of a product.
struct TYAttribute: Encodable, Sendable {
    let name: String
    let value: String
}

/// The seller of a product.
struct TYSeller: Encodable, Sendable {
    let id: Int
    let name: String
    let score: Double
}
