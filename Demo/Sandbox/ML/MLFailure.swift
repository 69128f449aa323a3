import HTTPTypes

/// An error in the meal ordering's envelope.
struct MLFailure: ChannelFailure {
    let status: HTTPResponse.Status
    let body: Body

    private init(_ status: HTTPResponse.Status, _ code: Int, _ reason: String) {
        self.status = status
        self.body = Body(fault: .init(code: code, reason: reason))
    }

    init(_ mishap: Mishap) {
        switch mishap {
        case .unknownPath: self.init(.notFound, 1004, "Bu adres bulunamadı.")
        case .malformedBody: self.init(.badRequest, 1101, "İstek gövdesi okunamadı.")
        case .bodyTooLarge: self.init(.contentTooLarge, 1102, "İstek gövdesi çok büyük.")
        case .unexpected: self.init(.internalServerError, 1000, "Beklenmeyen bir hata oluştu.")
        }
    }

    static func missing(_ header: String) -> MLFailure { .init(.unauthorized, 1400, "\(header) başlığı eksik.") }
    static let wrongSignature = MLFailure(.forbidden, 1401, "İmza doğrulanamadı.")
    static let dateOff = MLFailure(.forbidden, 1402, "x-ml-date beş dakikadan fazla sapıyor.")
    static let badLocation = MLFailure(.badRequest, 1100, "lat ve lon derece olarak gerekli.")
    static let unknownOrder = MLFailure(.notFound, 1405, "Sipariş bulunamadı.")
    static let unknownRestaurant = MLFailure(.notFound, 1404, "Restoran bulunamadı.")

    struct Body: Encodable, Sendable {
        let fault: Fault
    }

    struct Fault: Encodable, Sendable {
        let code: Int
        let reason: String
    }
}
