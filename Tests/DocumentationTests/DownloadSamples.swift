import CoreAPI
import CoreAPITransfers
import Foundation

// Shown on the page "Bodies"; they run in DownloadSamplesTests.

func fetchExport(_ id: String, to file: URL, through manager: some Dispatcher) async throws -> DownloadedFile {
    let download = manager.download(.get("exports/\(segment: id)"), to: file)
    for await progress in download.progress {
        print(progress.completed, progress.fraction ?? 0)
    }
    return try await download.value
}

func fetchRelease(_ checksum: String, to file: URL, through manager: some Dispatcher) async throws {
    var options = DownloadOptions()
    options.digests = [ContentDigest("sha-256=\(checksum)")].compactMap(\.self)
    options.parts = 4
    options.bytesPerSecond = 5_000_000
    _ = try await manager.download(.get("release.tar"), to: file, options).value
}
