import HTTPTypes

/// An error in the second-hand shop's envelope.
struct DLFailure: ChannelFailure {
    let status: HTTPResponse.Status
    let body: Body

    private init(_ status: HTTPResponse.Status, _ key: String, _ message: String) {
        self.status = status
        self.body = Body(errors: [.init(key: key, message: message)])
    }

    init(_ mishap: Mishap) {
        switch mishap {
        case .unknownPath: self.init(.notFound, "path.not-found", "Bu adres bulunamadı.")
        case .malformedBody: self.init(.badRequest, "body.malformed", "İstek gövdesi okunamadı.")
        case .bodyTooLarge: self.init(.contentTooLarge, "body.too-large", "İstek gövdesi çok büyük.")
        case .unexpected: self.init(.internalServerError, "unexpected", "Beklenmeyen bir hata oluştu.")
        }
    }

    static let refreshInvalid = DLFailure(.unauthorized, "refresh.invalid", "Oturumun yenilenemedi, tekrar giriş yap.")
    static let tokenMissing = DLFailure(.unauthorized, "token.missing", "Giriş yapman gerekiyor.")
    static let tokenExpired = DLFailure(.unauthorized, "token.expired", "Oturumunun süresi doldu.")
    static let orderNotFound = DLFailure(.notFound, "order.not-found", "Sipariş bulunamadı.")

    static let photoMissing = DLFailure(.unprocessableContent, "item.photo-missing", "En az bir fotoğraf eklemelisin.")

    struct Body: Encodable, Sendable {
        let errors: [Entry]
    }

    struct Entry: Encodable, Sendable {
        let key: String
        let message: String
    }
}
