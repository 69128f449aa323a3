internal import CoreAPI
internal import CoreAPITransfers
internal import Foundation
internal import TYInteractors

extension DemoTour {
    /// Searches, fetches the next page, opens a product, downloads the catalogue.
    static let ty = DemoTour(channel: "TY", prefix: "ty") { guide in
        let search = TYProductSearchInteractor()
        let first = await guide.visit("product search") {
            // A letter that encodings often get wrong, and that occurs in more names than fit on a page.
            try await search.search("ş")
        } sample: { page in
            DemoSample(page, of: "ş")
        }
        _ = await guide.visit("product search, page 2") {
            guard let page = try await search.nextPage() else { throw DemoFailure("expected a second page, there is none") }
            return page
        } sample: { page in
            DemoSample(page, of: "ş")
        }
        guard let product = first?.products.first else { return guide.skip("product detail", "the search found no product") }
        _ = await guide.visit("product detail") {
            try await TYProductDetailInteractor().productDetail(id: product.id)
        } sample: { product in
            DemoSample(
                "\(product.name) by \(product.brand), \(product.price.amount.price(in: product.price.currency)), "
                    + (product.inStock ? "in stock" : "sold out") + ", sold by \(product.seller.name)",
                product.attributes.map { "\($0.name): \($0.value)" })
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("catalogue-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = await guide.visit("catalogue export") {
            let export = TYCatalogueExportInteractor().catalogueExport(to: file)
            await guide.watch("catalogue export", export)
            return (try await export.value, try Data(contentsOf: file))
        } sample: { export, bytes in
            DemoSample(
                "\(bytes.split(separator: UInt8(ascii: "\n")).count) products in \(bytes.count) bytes",
                export.digests.map { "verified \($0.algorithm.rawValue) \($0.hexadecimal)" })
        }
    }
}

extension DemoSample {
    fileprivate init(_ page: TYProductSearchResponse, of query: String) {
        self.init(
            "“\(query)”, page \(page.page + 1): \(page.products.count) of \(page.totalCount) products",
            page.products.map { product in
                let price = product.price.amount.price(in: product.price.currency)
                return "\(product.id)  \(product.name) by \(product.brand), \(price), \(product.rating) of 5"
            })
    }
}
