import HTTPTypes

/// An error in the marketplace's envelope.
struct TYFailure: ChannelFailure {
    /// The status line's code, which may be less exact than the envelope's.
    let status: HTTPResponse.Status
    let body: Body

    /// - Parameter sentAs: the status line's code if it differs from the envelope's.
    private init(_ status: HTTPResponse.Status, _ code: String, _ message: String, sentAs line: HTTPResponse.Status? = nil) {
        self.status = line ?? status
        self.body = Body(statusCode: status.code, error: .init(code: code, message: message))
    }

    init(_ mishap: Mishap) {
        switch mishap {
        case .unknownPath: self.init(.notFound, "path-not-found", "Bu adres bulunamadı.")
        case .malformedBody: self.init(.badRequest, "malformed-body", "İstek gövdesi okunamadı.")
        case .bodyTooLarge: self.init(.contentTooLarge, "body-too-large", "İstek gövdesi çok büyük.")
        case .unexpected: self.init(.internalServerError, "unexpected", "Beklenmeyen bir hata oluştu.")
        }
    }

    static let invalidAPIKey = TYFailure(.unauthorized, "invalid-api-key", "x-api-key geçersiz.")
    static let missingLocale = TYFailure(.badRequest, "missing-locale", "x-locale başlığı gerekli, örneğin tr_TR.")
    static let missingCulture = TYFailure(.badRequest, "missing-culture", "x-culture başlığı gerekli, örneğin tr-TR.")
    static let productNotFound = TYFailure(.notFound, "product-not-found", "Ürün bulunamadı.", sentAs: .ok)

    struct Body: Encodable, Sendable {
        let isSuccess = false
        let statusCode: Int
        let error: Detail
    }

    struct Detail: Encodable, Sendable {
        let code: String
        let message: String
    }
}
