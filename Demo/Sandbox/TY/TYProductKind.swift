/// The kinds of products, and the properties that all products of a kind share.
enum TYProductKind: Sendable {
    case bag, clothing, shoes, electronics, home, care, toys

    /// One or two sentences for the product's page.
    var description: String {
        switch self {
        case .bag: "İç bölmeli, günlük kullanıma uygun. Ayarlanabilir askısı vardır."
        case .clothing: "Nefes alan kumaş, rahat kesim. 30 derecede yıkanması önerilir."
        case .shoes: "Kaymaz taban, yumuşak iç astar. Kendi numaranızı almanız önerilir."
        case .electronics: "İki yıl üretici garantisi altındadır."
        case .home: "Günlük kullanım için tasarlandı; özenli paketlenir."
        case .care: "Dermatolojik olarak test edilmiştir."
        case .toys: "Küçük parça içerebilir; yaş sınırına dikkat ediniz."
        }
    }

    /// The properties on the product's page.
    var attributes: [TYAttribute] {
        switch self {
        case .bag: [.init(name: "Kapama", value: "Fermuar"), .init(name: "Astar", value: "Pamuk")]
        case .clothing: [.init(name: "Kumaş", value: "%80 Pamuk"), .init(name: "Menşei", value: "Türkiye")]
        case .shoes: [.init(name: "Taban", value: "Kauçuk"), .init(name: "Kalıp", value: "Tam")]
        case .electronics: [.init(name: "Garanti", value: "24 ay"), .init(name: "Bağlantı", value: "USB-C")]
        case .home: [.init(name: "Menşei", value: "Türkiye"), .init(name: "Paket", value: "Kırılmaya karşı korumalı")]
        case .care: [.init(name: "Cilt tipi", value: "Tüm ciltler"), .init(name: "Vegan", value: "Evet")]
        case .toys: [.init(name: "Yaş", value: "3+"), .init(name: "Malzeme", value: "Doğal")]
        }
    }
}

extension TYSeller {
    /// All sellers; the product's id selects one.
    static let all = [
        TYSeller(id: 301, name: "Kapalıçarşı Ticaret", score: 9.4),
        TYSeller(id: 302, name: "Moda Sahil Butik", score: 8.9),
        TYSeller(id: 303, name: "Anadolu Pazarı", score: 9.1),
        TYSeller(id: 304, name: "Güneş Elektronik ve Ev", score: 8.6),
    ]
}
