public import Foundation
@_exported public import NetworkerKitModels

/// An order's details.
public struct DLOrderDetailResponse: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    public let status: DLOrderStatus
    public let price: Money
    public let createdAt: Date
    public let seller: String
    public let items: [DLOrderItem]
    /// `nil` before shipment, and for a cancelled order.
    public let shipment: DLShipment?
}

/// A used item.
public struct DLOrderItem: Decodable, Sendable, Hashable {
    public let name: String
    /// Its condition, in the seller's words.
    public let condition: String
    public let price: Money
}

/// The carrier of the parcel.
public struct DLShipment: Decodable, Sendable, Hashable {
    public let carrier: String
    public let trackingCode: String
}
