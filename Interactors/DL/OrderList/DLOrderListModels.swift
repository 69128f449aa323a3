public import Foundation
@_exported public import NetworkerKitModels

/// A page of orders, newest first.
public struct DLOrderListResponse: Decodable, Sendable, Hashable {
    public let orders: [DLOrder]
    /// From 1.
    public let page: Int
    public let totalPages: Int
}

/// An order in the list.
public struct DLOrder: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    public let status: DLOrderStatus
    public let price: Money
    public let createdAt: Date
    public let seller: String
}

/// The status of an order. An unknown status is kept, not rejected.
public struct DLOrderStatus: RawRepresentable, Decodable, Sendable, Hashable {
    public static let preparing = DLOrderStatus(rawValue: "preparing")
    public static let shipped = DLOrderStatus(rawValue: "shipped")
    public static let delivered = DLOrderStatus(rawValue: "delivered")
    public static let cancelled = DLOrderStatus(rawValue: "cancelled")

    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
