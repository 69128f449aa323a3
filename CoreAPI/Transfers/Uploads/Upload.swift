public import CoreAPICore
public import Foundation

/// An upload in progress. It begins when it is made, and continues if it is released.
///
/// ```swift
/// let upload = manager.upload(.post("photos"), from: .file(photo), as: Photo.self)
/// for await progress in upload.progress { bar.show(progress.fraction) }
/// let saved = try await upload.value
/// ```
public final class Upload<Value: Sendable>: Transfer {
    private let meter: UploadMeter
    private let task: Task<Response<Value>, Never>

    init(_ run: @escaping @Sendable (UploadMeter) async -> Response<Value>) {
        let meter = UploadMeter()
        self.meter = meter
        task = Task {
            defer { meter.end() }
            return await run(meter)
        }
    }

    /// Waits for the end, and gives the whole response. Cancelling the waiting task cancels the upload.
    public var response: Response<Value> {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The value of the response; otherwise as ``response``.
    ///
    /// - Throws: `APIClientError`, by the stage that failed; `.cancelled` after ``cancel()``.
    public var value: Value {
        get async throws(APIClientError) { try await response.value }
    }

    /// The progress: the current value first, then the newest one each time the reader asks. Ends with the upload.
    ///
    /// Counts the bytes that the transport has read; the last bytes may still be in buffers. Each access makes a new sequence.
    public var progress: AsyncStream<TransferProgress> { meter.updates }

    /// The progress as Foundation's `Progress`, for a view or a parent: a new object each time. Cancelling it cancels the upload.
    public var foundationProgress: Progress {
        let progress = Progress(totalUnitCount: -1)
        progress.isCancellable = true
        progress.cancellationHandler = { [task] in task.cancel() }
        meter.mirror(in: progress)
        return progress
    }

    /// Stops the upload. A second call, or one after the end, does nothing.
    public func cancel() {
        task.cancel()
    }
}
