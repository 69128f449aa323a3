import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

// usage: ResumableServer PORT
//
// Takes uploads by the draft of the IETF, and answers each whole one with its number of bytes and their FNV-1a hash.

/// Sees an upload as one request, however many requests it came in.
final class Counter: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPResponsePart

    private var count = 0
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(let buffer):
            count += buffer.readableBytes
            for byte in buffer.readableBytesView { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        case .end:
            let text = "\(count) \(String(hash, radix: 16))"
            var response = HTTPResponse(status: .ok)
            response.headerFields[.contentLength] = "\(text.utf8.count)"
            write(context: context, data: wrapOutboundOut(.head(response)), promise: nil)
            write(context: context, data: wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
            write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
            flush(context: context)
        }
    }
}

guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
    fatalError("usage: ResumableServer PORT")
}
let uploads = HTTPResumableUploadContext(origin: "http://127.0.0.1:\(port)")
let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(HTTPResumableUploadHandler(context: uploads, handlers: [Counter()]))
        }
    }
    .bind(host: "127.0.0.1", port: port).wait()
print("listening on \(port)")
try server.closeFuture.wait()
