import HTTPTypes

/// An error in the instant delivery's envelope.
struct IDFailure: ChannelFailure {
    let status: HTTPResponse.Status
    let body: Body

    private init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.body = Body(errorCode: code, displayMessage: message)
    }

    init(_ mishap: Mishap) {
        switch mishap {
        case .unknownPath: self.init(.notFound, "PATH_NOT_FOUND", "Bu adres bulunamadı.")
        case .malformedBody: self.init(.badRequest, "BODY_MALFORMED", "İstek gövdesi okunamadı.")
        case .bodyTooLarge: self.init(.contentTooLarge, "BODY_TOO_LARGE", "İstek gövdesi çok büyük.")
        case .unexpected: self.init(.internalServerError, "UNEXPECTED", "Beklenmeyen bir hata oluştu.")
        }
    }

    static let sessionExpired = IDFailure(.unauthorized, "SESSION_EXPIRED", "Oturumun sona erdi, tekrar giriş yap.")
    static let locationInvalid = IDFailure(.badRequest, "LOCATION_INVALID", "Konumun anlaşılamadı.")
    static let idempotencyKeyMissing = IDFailure(.badRequest, "IDEMPOTENCY_KEY_MISSING", "idempotency-key başlığı eksik.")
    static let idempotencyConflict = IDFailure(.conflict, "IDEMPOTENCY_CONFLICT", "Bu anahtar başka bir siparişe ait.")
    static let basketEmpty = IDFailure(.unprocessableContent, "BASKET_EMPTY", "Sepetin boş.")
    static let quantityInvalid = IDFailure(.unprocessableContent, "QUANTITY_INVALID", "Her üründen en çok 99 alınabilir.")
    static let tryAgain = IDFailure(.serviceUnavailable, "TRY_AGAIN", "Şu anda çok yoğunuz, tekrar dene.")

    struct Body: Encodable, Sendable {
        let status = "ERROR"
        let errorCode: String
        let displayMessage: String
    }
}
