/// The server's report on a request without a body.
public struct HTTPBinGetAnswer: Decodable, Sendable, Hashable {
    /// The query, decoded.
    public let args: [String: HTTPBinValues]
    public let headers: [String: String]
    /// The client's address as the server sees it.
    public let origin: String
    public let url: String
}

/// The server's report on a request with a body.
public struct HTTPBinPostAnswer<Body: Decodable & Sendable>: Decodable, Sendable {
    /// The body as text.
    public let data: String
    /// The body as JSON; `nil` if it is not JSON.
    public let json: Body?
    public let headers: [String: String]
    public let url: String
}

/// An order for the pizza form at `forms/post`. `nil` values are not sent.
public struct HTTPBinPizza: Encodable, Sendable, Hashable {
    public enum Size: String, Encodable, Sendable {
        case small, medium, large
    }

    public enum Topping: String, Encodable, Sendable {
        case bacon, cheese, onion, mushroom
    }

    public let customer: String
    public let telephone: String?
    public let email: String?
    public let size: Size
    /// Each one is sent as a separate `topping` field.
    public let toppings: [Topping]
    /// From 11:00 to 21:00, in steps of 15 minutes.
    public let delivery: String?
    public let comments: String?

    public init(
        customer: String, size: Size, toppings: [Topping] = [], telephone: String? = nil, email: String? = nil,
        delivery: String? = nil, comments: String? = nil
    ) {
        self.customer = customer
        self.telephone = telephone
        self.email = email
        self.size = size
        self.toppings = toppings
        self.delivery = delivery
        self.comments = comments
    }

    private enum CodingKeys: String, CodingKey {
        case customer = "custname"
        case telephone = "custtel"
        case email = "custemail"
        case size
        case toppings = "topping"
        case delivery, comments
    }
}

/// The order as the server decoded it, field by field.
public struct HTTPBinPizzaReceipt: Decodable, Sendable, Hashable {
    public let form: [String: HTTPBinValues]
    public let url: String
}

/// A compressed response.
public struct HTTPBinGzipAnswer: Decodable, Sendable, Hashable {
    public let gzipped: Bool
    public let method: String
    public let headers: [String: String]
}

/// A line of a stream.
public struct HTTPBinStreamLine: Decodable, Sendable, Hashable, Identifiable {
    /// From 0.
    public let id: Int
    public let url: String
}

/// The signed-in user.
public struct HTTPBinAuthAnswer: Decodable, Sendable, Hashable {
    public let authenticated: Bool
    public let user: String
}

/// The values of one name: httpbin writes one value as a string and several as a list.
public struct HTTPBinValues: Decodable, Sendable, Hashable {
    public let all: [String]

    /// The only value, or the first.
    public var first: String? { all.first }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(String.self) {
            all = [one]
        } else {
            all = try container.decode([String].self)
        }
    }
}

struct HTTPBinOrigin: Decodable {
    let origin: String
}

struct HTTPBinHeaders: Decodable {
    let headers: [String: String]
}
