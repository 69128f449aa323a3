/// The marketplace: an API key, a locale and a culture in every request, and an envelope that may contain an error in a 200.
struct TYSandbox: SandboxChannel {
    static let apiKey = "ty-sandbox-key"

    typealias Failure = TYFailure

    let prefix = "ty"

    init(_ options: SandboxOptions) {}

    var routes: [Route] {
        [
            .get("ty/discovery/v1/products/search", search), .get("ty/discovery/v1/products/:id", product),
            .get("ty/discovery/v1/exports/catalogue.jsonl", TYExport.answer),
        ]
    }

    func admit(_ request: SandboxRequest) throws {
        guard request.header("x-api-key") == Self.apiKey else { throw TYFailure.invalidAPIKey }
        guard request.header("x-locale") != nil else { throw TYFailure.missingLocale }
        guard request.header("x-culture") != nil else { throw TYFailure.missingCulture }
    }

    private func search(_ request: SandboxRequest) throws -> SandboxAnswer {
        let page = request.query("page", in: 0...10_000, default: 0)
        let size = request.query("size", in: 1...50, default: 10)
        let found = TYCatalogue.products(matching: request.query("q") ?? "")
        let shown = found.dropFirst(page * size).prefix(size)
        return try .json(
            TYSuccess(
                result: TYSearchResult(
                    products: shown.map(TYProductCard.init),
                    page: page,
                    size: size,
                    totalCount: found.count,
                    hasNext: (page + 1) * size < found.count)))
    }

    private func product(_ request: SandboxRequest) throws -> SandboxAnswer {
        guard let id = request.parameters["id"].flatMap({ Int($0) }),
            let product = TYCatalogue.products.first(where: { $0.id == id })
        else { throw TYFailure.productNotFound }
        return try .json(TYSuccess(result: TYProductDetail(product)))
    }
}
