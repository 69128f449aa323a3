import CoreAPITransfers
import TYInteractors
import TYNetworker
import TestSupport

@testable import NetworkerKitSandbox

@Suite("TY: catalogue export", .closing)
struct TYCatalogueExportTests {
    private let file = temporaryFile("catalogue.jsonl")

    @Test("is downloaded and verified; a second download gives the same bytes")
    func downloads() async throws {
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
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let (interactor, output) = (TYCatalogueExportInteractor(), Page())
            interactor.output = output
            interactor.exportCatalogue(to: file)
            try await eventually("the output received no result") { await !output.results.isEmpty }
            let length = try output.results.first?.get().length
            #expect(output.results.count == 1 && output.last?.completed == length && output.last?.fraction == 1)
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    /// Has the sandbox's responses; after half of the one with all bytes it takes other steps.
    private static func server(afterHalf steps: [ServerReply.Step]) throws -> LoopbackServer {
        try LoopbackServer.test { request in
            let lines = request.headers.map { (name: $0.name, value: $0.value) }
            let answer = TYExport.answer(to: SandboxRequest(request.method, request.target, headers: lines))
            let fields = answer.headers + [(name: "content-length", value: "\(answer.body.count)")]
            let headers = HeaderLines(fields.map { .init(name: $0.name, value: $0.value) })
            let head = ServerReply.Step.sendHead(status: answer.status.code, headers: headers)
            if answer.status == .partialContent { return [head, .sendBody(answer.body)] }
            return ServerReply([head, .sendBody(answer.body.prefix(TYExport.bytes.count / 2))] + steps)
        }
    }

    @Test("cancelled in the middle, it keeps its bytes, and the next export asks for the rest")
    @MainActor func continues() async throws {
        let part = [file.appendingPathExtension("part"), file.appendingPathExtension("part.json")]
        let half = TYExport.bytes.count / 2
        let server = try Self.server(afterHalf: [.stall])
        let channel = closing(Channel.ty.at(.sandbox).speaking(to: server))
        try await ChannelOverride.with(channel) {
            let (interactor, output) = (TYCatalogueExportInteractor(), Page())
            interactor.output = output
            interactor.exportCatalogue(to: file)
            try await eventually("the output saw no half") { await output.last?.completed == Int64(half) }
            // One is running, so this asks for nothing.
            interactor.exportCatalogue(to: file)
            interactor.cancelExport()
            try await eventually("the output received no result") { await output.results.count == 1 }
            #expect(throws: APIClientError.self) { try output.results[0].get() }
            #expect(part.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
            interactor.exportCatalogue(to: file)
            try await eventually("the output received no second result") { await output.results.count == 2 }
            let export = try output.results[1].get()
            #expect(export.reused == Int64(half) && export.digests.map(\.algorithm) == [.sha256])
            #expect(try Data(contentsOf: file) == TYExport.bytes)
            #expect(!part.contains { FileManager.default.fileExists(atPath: $0.path) })
        }
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=\(half)-"])
        #expect(server.requests.last?.headers["if-range"] != nil)
    }

    @Test("an export goes on without its interactor, does not keep it alive, and does not call the output any more")
    @MainActor func released() async throws {
        let gate = try Gate()
        let half = TYExport.bytes.count / 2
        let server = try Self.server(afterHalf: [.waitFor(gate), .sendBody(TYExport.bytes.dropFirst(half))])
        let channel = closing(Channel.ty.at(.sandbox).speaking(to: server))
        let file = file
        try await ChannelOverride.with(channel) {
            let output = Page()
            weak var gone: TYCatalogueExportInteractor?
            do {
                let interactor = TYCatalogueExportInteractor()
                (interactor.output, gone) = (output, interactor)
                interactor.exportCatalogue(to: file)
                try await eventually("the output saw no half") { await output.last?.completed == Int64(half) }
            }
            #expect(gone == nil)
            gate.open()
            try await eventually("the file did not arrive") { FileManager.default.fileExists(atPath: file.path) }
            #expect(try Data(contentsOf: file) == TYExport.bytes)
            #expect(output.results.isEmpty && output.last?.completed == Int64(half))
        }
    }

    private final class Page: Output<DownloadedFile>, TYCatalogueExportInteractorOutput {
        var last: TransferProgress?

        func handleCatalogueExportProgress(_ progress: TransferProgress) {
            last = progress
            #expect(MainQueue.isCurrent)
        }

        func handleCatalogueExportResponse(_ result: Result<DownloadedFile, APIClientError>) { hear(result) }
    }
}
