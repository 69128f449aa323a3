import NetworkerKitModels

/// The cuisines. All restaurants of a cuisine have the same menu.
enum MLCuisine: String, Sendable {
    case kebap = "Kebap"
    case burger = "Burger"
    case home = "Ev Yemekleri"
    case pide = "Pide & Lahmacun"
    case pizza = "Pizza"
    case fish = "Balık"
    case dessert = "Tatlı"
    case coffee = "Kahve"

    struct Section: Sendable {
        let name: String
        let dishes: [Dish]
    }

    struct Dish: Sendable {
        let name: String
        let description: String
        let price: Money
        let isAvailable: Bool

        init(_ name: String, _ description: String, _ price: Double, isAvailable: Bool = true) {
            self.name = name
            self.description = description
            self.price = .lira(price)
            self.isAvailable = isAvailable
        }
    }

    private static let drinks = Section(
        name: "İçecekler",
        dishes: [
            Dish("Ayran", "300 ml", 35), Dish("Şalgam", "Acılı veya acısız", 40), Dish("Su", "500 ml", 15),
        ])

    /// The menu; most cuisines have drinks.
    var menu: [Section] {
        switch self {
        case .kebap:
            [
                Section(
                    name: "Izgaralar",
                    dishes: [
                        Dish("Adana Kebap", "Közlenmiş domates, biber ve lavaşla", 320),
                        Dish("Izgara Köfte", "Piyaz ve pilavla", 280.50),
                        Dish("Kuzu Şiş", "Terbiyeli kuzu but", 390, isAvailable: false),
                    ]),
                Section(name: "Başlangıçlar", dishes: [Dish("Mercimek Çorbası", "Limon ve kıtır ekmekle", 95)]),
                Self.drinks,
            ]
        case .burger:
            [
                Section(
                    name: "Burgerler",
                    dishes: [
                        Dish("Klasik Burger", "150 g dana köfte, turşu, özel sos", 265),
                        Dish("Islak Burger", "Domates soslu, sarımsaklı", 85),
                        Dish("Mantarlı Burger", "Karamelize soğan ve kaşar", 289.90),
                    ]),
                Section(name: "Yanında", dishes: [Dish("Patates Kızartması", "Orta boy", 90)]),
                Self.drinks,
            ]
        case .home:
            [
                Section(
                    name: "Günün Yemekleri",
                    dishes: [
                        Dish("Kuru Fasulye", "Pilav ve turşuyla", 165),
                        Dish("Karnıyarık", "Kıymalı patlıcan", 175),
                        Dish("Zeytinyağlı Enginar", "İç bakla ve dereotuyla", 185, isAvailable: false),
                    ]),
                Self.drinks,
            ]
        case .pide:
            [
                Section(
                    name: "Fırından",
                    dishes: [
                        Dish("Kıymalı Pide", "Kapalı veya açık", 210),
                        Dish("Kaşarlı Sucuklu Pide", "Taş fırında", 235),
                        Dish("Lahmacun", "Maydanoz ve limonla", 80),
                    ]),
                Self.drinks,
            ]
        case .pizza:
            [
                Section(
                    name: "Pizzalar",
                    dishes: [
                        Dish("Margherita", "Mozzarella, fesleğen", 260),
                        Dish("Sucuklu", "Dana sucuk, kaşar", 310),
                        Dish("Dört Peynirli", "Ezine peyniriyle", 335),
                    ]),
                Self.drinks,
            ]
        case .fish:
            [
                Section(
                    name: "Balıklar",
                    dishes: [
                        Dish("Balık Ekmek", "Uskumru, roka, soğan", 180),
                        Dish("Hamsi Tava", "Mevsiminde", 320, isAvailable: false),
                        Dish("Izgara Levrek", "Mevsim salatasıyla", 450),
                    ]),
                Self.drinks,
            ]
        case .dessert:
            [
                Section(
                    name: "Tatlılar",
                    dishes: [
                        Dish("Künefe", "Antep fıstığı ve kaymakla", 190),
                        Dish("Fıstıklı Baklava", "4 dilim", 240),
                        Dish("Fırın Sütlaç", "Fındıkla", 110),
                    ])
            ]
        case .coffee:
            [
                Section(
                    name: "Kahveler",
                    dishes: [
                        Dish("Türk Kahvesi", "Sade, orta veya şekerli", 75),
                        Dish("Filtre Kahve", "Günün çekirdeği", 95),
                        Dish("Sahlep", "Tarçınla", 110, isAvailable: false),
                    ])
            ]
        }
    }
}
