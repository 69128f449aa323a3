import CoreAPI
import CoreAPITransfers
import Foundation

// Shown on the page "Bodies"; runs in UploadSamplesTests.

struct Photo: Decodable, Sendable {
    let id: Int
}

func send(_ photo: URL, through manager: some Dispatcher, show: (Double) -> Void) async throws -> Photo {
    let upload = manager.upload(.post("photos"), from: .file(photo), as: .decodable(Photo.self))
    for await progress in upload.progress {
        if let fraction = progress.fraction { show(fraction) }
    }
    return try await upload.value
}

func sell(_ title: String, with photo: URL, through manager: some Dispatcher) async throws -> Photo {
    let form = MultipartForm([.text("title", title), .file("photo", photo, contentType: "image/jpeg")])
    return try await manager.upload(.post("items", encoding: .multipart(form)), as: .decodable(Photo.self)).value
}

func send(report: URL, through manager: some Dispatcher) async throws {
    let options = UploadOptions(compression: .gzip, bytesPerSecond: 500_000, expectsContinue: true)
    try await manager.upload(.put("reports/today"), from: .file(report), options: options).value
}

func send(_ film: URL, through manager: some Dispatcher, keeping store: URL) async throws {
    let stored = try? JSONDecoder().decode(ResumableUpload.State.self, from: Data(contentsOf: store))
    var resumable = ResumableUpload(.tus, continuing: stored) { state in
        if let state { try? JSONEncoder().encode(state).write(to: store) } else { try? FileManager.default.removeItem(at: store) }
    }
    resumable.metadata = ["filename": film.lastPathComponent]
    try await manager.upload(.post("films"), from: .file(film), resumable: resumable).value
}
