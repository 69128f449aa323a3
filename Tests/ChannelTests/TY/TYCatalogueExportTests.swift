import CoreAPI
import CoreAPITransfers
import Foundation
import TYInteractors
import TYNetworker
import Testing

@Suite("TY: catalogue export")
struct TYCatalogueExportTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("catalogue-\(UUID().uuidString).jsonl")

    @Test("is downloaded and verified; a second download gives the same bytes")
    func downloads() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let export = try await TYCatalogueExportInteractor().catalogueExport(to: file).value
            let bytes = try Data(contentsOf: file)
            #expect(bytes.split(separator: UInt8(ascii: "\n")).count == 48)
            #expect(export.digests.map(\.algorithm) == [.sha256] && export.length == Int64(bytes.count))
            _ = try await TYCatalogueExportInteractor().catalogueExport(to: file).value
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test("in the delegate form the output receives progress, and the result exactly once, on the main actor")
    @MainActor func delegate() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let interactor = TYCatalogueExportInteractor()
            let output = Output()
            interactor.output = output
            interactor.exportCatalogue(to: file)
            try await eventually("the output received no result") { await !output.results.isEmpty }
            let length = try output.results.first?.get().length
            #expect(output.results.count == 1 && output.last?.completed == length && output.last?.fraction == 1)
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @MainActor private final class Output: TYCatalogueExportInteractorOutput {
        var results: [Result<DownloadedFile, APIClientError>] = []
        var last: TransferProgress?
        var wasAlwaysOnMainQueue = true

        func handleCatalogueExportProgress(_ progress: TransferProgress) {
            last = progress
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }

        func handleCatalogueExportResponse(_ result: Result<DownloadedFile, APIClientError>) {
            results.append(result)
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }
    }
}
