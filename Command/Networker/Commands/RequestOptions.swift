import ArgumentParser
import CoreAPI
import CoreAPICore
import Foundation
import HTTPTypes

/// The headers, the body and the credentials of a command that describes a request.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header; overrides the channel's header of that name.", valueName: "name: value"),
        transform: HeaderLine.init)
    var header: [HeaderLine] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The body, or @ and the name of a file with it; @- for standard input, which is not read otherwise. Its type is "
                + "JSON if it is JSON, else text.",
            valueName: "text|@file"))
    var data: [String] = []

    @Flag(help: "Send the items, or --data, as a form; as multipart/form-data if an item is a file.")
    var form = false

    @Flag(help: "Send the items as multipart/form-data.")
    var multipart = false

    @Flag(help: "Say nothing about data on standard input, which only '@-' reads.")
    var ignoreStdin = false

    @Option(
        name: [.customShort("a"), .customShort("u"), .long],
        help: ArgumentHelp("Credentials: user:password, or a token with --auth-type bearer.", valueName: "user:password"))
    var auth: String?

    @Option(help: "How the credentials are sent; basic by default.")
    var authType: AuthType?

    enum AuthType: String, CaseIterable, ExpressibleByArgument, Sendable {
        case basic, bearer, digest
    }

    func validate() throws {
        if form, multipart { throw ValidationError("expected one of --form and --multipart, got both") }
        if authType != nil, auth == nil { throw ValidationError("--auth-type changes --auth; expected --auth as well") }
        if data.count > 1 { throw ValidationError("--data is given twice; expected one") }
        if multipart, !data.isEmpty { throw ValidationError("--multipart sends items; expected no --data") }
    }

    /// The request that words and these options describe.
    ///
    /// - Throws: `ValidationError`.
    func plan(_ words: [String], _ options: ChannelOptions) throws -> CallPlan {
        let lines = header + (try authorization.map { [$0] } ?? [])
        return try CallPlan(
            words, options, headers: lines, data: try data.first.map(CallBody.init),
            form: multipart ? .multipart : form ? .form : .json)
    }

    /// The header of `--auth`, unless the response to a challenge has it.
    private var authorization: HeaderLine? {
        get throws {
            guard let auth else { return nil }
            switch authType ?? .basic {
            case .bearer: return try HeaderLine(name: "Authorization", value: "Bearer \(auth)")
            case .basic:
                _ = try credentials(auth)
                return try HeaderLine(name: "Authorization", value: "Basic \(Data(auth.utf8).base64EncodedString())")
            case .digest: return nil
            }
        }
    }

    /// Adds what answers the challenge to `--auth-type digest`.
    ///
    /// - Throws: `ValidationError`.
    func authenticate(_ channel: inout Channel) throws {
        guard let auth, authType == .digest else { return }
        let (user, password) = try credentials(auth)
        let digest = try validated { try DigestAuthentication(username: user, password: Secret(password)) }
        channel.attemptMiddleware.append(digest)
    }

    private func credentials(_ auth: String) throws -> (user: String, password: String) {
        guard let (user, password) = auth.split(atFirst: ":") else {
            throw ValidationError("expected --auth user:password; a token needs --auth-type bearer")
        }
        return (String(user), String(password))
    }

    /// Data for a request without a body is rejected instead of sent, because it may belong to the script that runs the command.
    ///
    /// - Throws: `ValidationError`.
    func checkInput(_ plan: CallPlan) throws {
        // The program at the other end of a pipe starts at the same time and may need a moment.
        guard !ignoreStdin, plan.lacksBody, !plan.readsStandardInput, StandardInput().hasData(within: .milliseconds(100)) else {
            return
        }
        throw ValidationError(
            "standard input has data, and the request has no body; expected --data @- to send that data, or --ignore-stdin")
    }

    func noteInput(_ plan: CallPlan) {
        guard !ignoreStdin, !plan.readsStandardInput, StandardInput().hasData() else { return }
        Console.error.write(hint: "standard input was not read; --data @- sends it, --ignore-stdin hides this line")
    }
}
