import NetworkerKitModels

/// The marketplace's products.
enum TYCatalogue {
    /// The products whose name or brand contains every word of the query, in catalogue order; all for an empty query.
    static func products(matching query: String) -> [TYProduct] {
        let words = folded(query).split(separator: " ")
        return products.filter { product in
            let text = folded("\(product.brand) \(product.name)")
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// Lower case with ı/I and i/İ as one letter, so that "KILIF", "kılıf" and "kilif" find the same products.
    private static func folded(_ text: String) -> String {
        text.lowercased().replacing("i\u{307}", with: "i").replacing("ı", with: "i")
    }

    static let products: [TYProduct] = [
        .init(1001, "Hakiki Deri Omuz Çantası", "Nevruz", 1899.90, 4.6, .bag),
        .init(1002, "Kadın Siyah Çapraz Çanta", "Lavinya", 549.99, 4.4, .bag),
        .init(1003, "Su Geçirmez Laptop Sırt Çantası", "Yolcu", 879.00, 4.7, .bag),
        .init(1004, "Hasır Plaj Çantası", "Ege Dokuma", 329.90, 4.1, .bag),
        .init(1005, "Mini Baget Çanta", "Lavinya", 429.99, 4.3, .bag),
        .init(1006, "Bez Alışveriş Çantası", "Ege Dokuma", 99.90, 4.8, .bag),
        .init(1007, "Erkek Slim Fit Oxford Gömlek", "Boğaziçi", 699.95, 4.5, .clothing),
        .init(1008, "Keten Karışımlı Gömlek", "Ege Dokuma", 789.90, 4.4, .clothing),
        .init(1009, "Kadın Oversize Beyaz Gömlek", "Nevruz", 599.99, 4.2, .clothing),
        .init(1010, "Çizgili Pamuklu Gömlek", "Boğaziçi", 649.95, 4.3, .clothing),
        .init(1011, "Oduncu Ekose Gömlek", "Kartal", 559.90, 4.6, .clothing),
        .init(1012, "Çiçekli Midi Elbise", "Lavinya", 899.99, 4.5, .clothing),
        .init(1013, "Triko Kazak", "Nevruz", 749.90, 4.4, .clothing),
        .init(1014, "Yüksek Bel Mom Jean", "Kartal", 829.99, 4.3, .clothing),
        .init(1015, "Kapüşonlu Sweatshirt", "Kartal", 499.90, 4.7, .clothing),
        .init(1016, "Şişme Mont", "Zirve", 2199.00, 4.6, .clothing),
        .init(1017, "İnce Yağmurluk", "Zirve", 1149.00, 4.2, .clothing),
        .init(1018, "Beş Parmak Yün Eldiven", "Zirve", 189.90, 4.0, .clothing),
        .init(1019, "Koşu Ayakkabısı", "Adım", 1999.90, 4.7, .shoes),
        .init(1020, "Beyaz Günlük Spor Ayakkabı", "Adım", 1399.90, 4.5, .shoes),
        .init(1021, "Deri Bağcıklı Bot", "Zirve", 2499.00, 4.6, .shoes),
        .init(1022, "Ortopedik Ev Terliği", "Adım", 279.90, 4.8, .shoes),
        .init(1023, "Süet Loafer", "Boğaziçi", 1649.00, 4.1, .shoes),
        .init(1024, "Çocuk Işıklı Ayakkabı", "Minik Adım", 699.00, 4.4, .shoes),
        .init(1025, "Kablosuz Kulak İçi Kulaklık", "Tını", 1299.00, 4.5, .electronics),
        .init(1026, "Gürültü Önleyici Kulaklık", "Tını", 3499.00, 4.7, .electronics),
        .init(1027, "65W Hızlı Şarj Adaptörü", "Voltaj", 799.00, 4.6, .electronics),
        .init(1028, "20000 mAh Taşınabilir Şarj", "Voltaj", 1099.00, 4.4, .electronics),
        .init(1029, "Akıllı Saat 44 mm", "Tını", 4299.00, 4.3, .electronics),
        .init(1030, "Darbeye Dayanıklı Telefon Kılıfı", "Voltaj", 249.90, 4.2, .electronics),
        .init(1031, "Mekanik Klavye Türkçe Q", "Voltaj", 1899.00, 4.6, .electronics),
        .init(1032, "Çelik Termos 750 ml", "Yolcu", 459.90, 4.8, .home),
        .init(1033, "Bakır Cezve", "Mangal", 389.00, 4.7, .home),
        .init(1034, "6 Kişilik Çay Bardağı Seti", "Mangal", 299.90, 4.6, .home),
        .init(1035, "Döküm Tava 28 cm", "Mangal", 1249.00, 4.5, .home),
        .init(1036, "Pamuklu Nevresim Takımı", "Ege Dokuma", 1599.90, 4.4, .home),
        .init(1037, "Peştemal Havlu", "Ege Dokuma", 259.90, 4.7, .home),
        .init(1038, "Dikey Şarjlı Süpürge", "Voltaj", 6499.00, 4.3, .home),
        .init(1039, "Lavanta Kokulu Mum", "Lavinya", 179.90, 4.5, .home),
        .init(1040, "Gül Suyu Tonik 200 ml", "Isparta Gülü", 149.90, 4.6, .care),
        .init(1041, "C Vitamini Serumu 30 ml", "Duru Bakım", 329.90, 4.3, .care),
        .init(1042, "SPF 50 Güneş Kremi", "Duru Bakım", 399.90, 4.7, .care),
        .init(1043, "Zeytinyağlı Kalıp Sabun", "Ege Dokuma", 89.90, 4.8, .care),
        .init(1044, "Argan Yağlı Şampuan", "Duru Bakım", 199.90, 4.2, .care),
        .init(1045, "Ahşap Yapboz 48 Parça", "Minik Adım", 219.90, 4.6, .toys),
        .init(1046, "Pelüş Kaplumbağa", "Minik Adım", 289.90, 4.8, .toys),
        .init(1047, "İstanbul Kutu Oyunu", "Zar", 649.00, 4.5, .toys),
        .init(1048, "Ahşap Tavla Takımı", "Zar", 1149.00, 4.7, .toys),
    ]
}

/// A product of the catalogue.
struct TYProduct: Sendable {
    let id: Int
    let name: String
    let brand: String
    let price: Money
    let rating: Double
    let kind: TYProductKind

    init(_ id: Int, _ name: String, _ brand: String, _ price: Double, _ rating: Double, _ kind: TYProductKind) {
        self.id = id
        self.name = name
        self.brand = brand
        self.price = .lira(price)
        self.rating = rating
        self.kind = kind
    }

    var imageURL: String { "https://cdn.ty.example/products/\(id).jpg" }
}
