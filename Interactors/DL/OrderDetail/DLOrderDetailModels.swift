@_exported public import ChannelModels
public import Foundation

/// An order as its own page shows it.
public struct DLOrderDetailResponse: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    public let status: DLOrderStatus
    public let price: Money
    public let createdAt: Date
    public let seller: String
    public let items: [DLOrderItem]
    /// `nil` while no parcel was handed over, and when the order was cancelled.
    public let shipment: DLShipment?
}

/// A used thing.
public struct DLOrderItem: Decodable, Sendable, Hashable {
    public let name: String
    /// The state it is in, in the seller's words.
    public let condition: String
    public let price: Money
}

/// Who carries the parcel.
public struct DLShipment: Decodable, Sendable, Hashable {
    public let carrier: String
    public let trackingCode: String
}
