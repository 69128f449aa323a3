import Foundation

/// The types that the shapes are decoded into. The compiler synthesises all of their initializers.
struct Product: Codable, Equatable {
    let id: Int
    let name: String
    let price: Double
    let isActive: Bool
    let category: String
    let note: String?
}

struct ProductPage: Codable, Equatable {
    let items: [Product]
    let page: Int
    let total: Int
}

struct Order: Codable, Equatable {
    let id: Int
    let buyer: Person
    let lines: [Line]
    let total: Money

    struct Person: Codable, Equatable {
        let name: String
        let address: Address
    }

    struct Address: Codable, Equatable {
        let street: String
        let city: City
    }

    struct City: Codable, Equatable {
        let name: String
        let zip: Int
    }

    struct Line: Codable, Equatable {
        let sku: String
        let count: Int
        let price: Money
    }

    struct Money: Codable, Equatable {
        let amount: Double
        let currency: String
    }
}

struct Event: Codable, Equatable {
    let at: Date
    let until: Date
    let id: Int
}

struct Drawing: Codable, Equatable {
    let shapes: [Figure]

    enum Figure: Codable, Equatable {
        case circle(radius: Double)
        case rectangle(width: Double, height: Double)
        case named(String)
    }
}

/// Its keys are written in snake case.
struct User: Codable, Equatable {
    let userId: Int
    let firstName: String
    let lastName: String
    let isAdmin: Bool
    let createdAt: Int
}
