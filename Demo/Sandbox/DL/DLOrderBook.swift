import Foundation
import NetworkerKitModels

/// The orders of the second-hand shop's only customer, newest first.
enum DLOrderBook {
    static let orders: [DLOrder] = [
        .init(1, "Vintage deri ceket", .preparing, "pelin.dolap", [("Vintage deri ceket", "Az kullanılmış", 1450)]),
        .init(
            2, "Keten gömlek ve şapka", .shipped, "moda_ece",
            [
                ("Keten gömlek", "Yeni gibi", 320), ("Hasır şapka", "İyi", 110),
            ]),
        .init(3, "Çocuk bisikleti 16 jant", .shipped, "baba.takas", [("Çocuk bisikleti", "İyi", 1750)]),
        .init(
            4, "Analog fotoğraf makinesi", .delivered, "filmkutusu",
            [
                ("35 mm makine", "Çalışır durumda", 2400), ("Kılıf", "İyi", 150),
            ]),
        .init(5, "İpek eşarp", .delivered, "nalan.h", [("İpek eşarp", "Etiketli", 275.50)]),
        .init(6, "Bebek arabası", .cancelled, "minikler", [("Bebek arabası", "İyi", 3200)]),
        .init(7, "Kaşe kaban", .delivered, "selin_gardrop", [("Kaşe kaban", "Az kullanılmış", 980)]),
        .init(8, "Topuklu ayakkabı 38", .delivered, "moda_ece", [("Topuklu ayakkabı", "Bir kez giyildi", 540)]),
        .init(9, "Roman seti, 5 kitap", .delivered, "sahaf.ugur", [("Türk klasikleri, 5 kitap", "İyi", 225)]),
        .init(10, "Kot etek", .shipped, "pelin.dolap", [("Kot etek", "Yeni gibi", 190)]),
        .init(11, "Gümüş küpe", .delivered, "tas.atolye", [("Gümüş küpe", "Yeni", 349.90)]),
        .init(12, "El örgüsü hırka", .delivered, "nalan.h", [("El örgüsü hırka", "Yeni", 620)]),
        .init(13, "Okul çantası", .cancelled, "minikler", [("Okul çantası", "İyi", 240)]),
        .init(
            14, "Bakır kahve takımı", .delivered, "sahaf.ugur",
            [
                ("Cezve", "İyi", 180), ("Fincan, 2 adet", "Yeni gibi", 140),
            ]),
    ]
}

/// An order of second-hand things.
struct DLOrder: Sendable {
    let id: String
    let title: String
    let status: DLOrderStatus
    let seller: String
    let createdAt: Date
    let items: [DLItem]

    init(
        _ number: Int, _ title: String, _ status: DLOrderStatus, _ seller: String, _ items: [(String, String, Double)]
    ) {
        self.id = "DL-\(number)"
        self.title = title
        self.status = status
        self.seller = seller
        // Every order is two days and an hour older than the previous one, counted back from 2026-03-14 09:30:00 UTC.
        self.createdAt = Date(timeIntervalSince1970: 1_773_480_600 - Double(number - 1) * 176_400)
        self.items = items.map { DLItem(name: $0.0, condition: $0.1, price: .lira($0.2)) }
    }

    var price: Money { items.reduce(.lira(0)) { $0 + $1.price } }

    /// The parcel; nil before shipment, and for a cancelled order.
    var shipment: DLShipment? {
        switch status {
        case .preparing, .cancelled: nil
        case .shipped, .delivered:
            DLShipment(carrier: "Martı Kargo", trackingCode: "MK\(id.dropFirst(3))74021\(title.count)")
        }
    }
}
