public import CoreAPICore
public import Foundation

/// An upload in flight. It began when it was made, and goes on when it is released.
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

    /// Everything known when the upload has ended. Cancelling the task that waits here cancels the upload.
    public var response: Response<Value> {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The value of the answer; otherwise as ``response``.
    ///
    /// - Throws: `APIClientError`, by the stage that failed; `.cancelled` after ``cancel()``.
    public var value: Value {
        get async throws(APIClientError) { try await response.value }
    }

    /// How far it has come: the present value, and then the newest one whenever the reader is ready for it. Ends with the upload.
    ///
    /// Counts the bytes that the transport has taken; the last of them may still lie in buffers. Each access makes a sequence of
    /// its own.
    public var progress: AsyncStream<TransferProgress> { meter.updates }

    /// The same as Foundation's `Progress`, for a view or a parent: a new object each time. Cancelling it cancels the upload.
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
