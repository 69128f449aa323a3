import CoreAPI
import HTTPBinNetworker
import NetworkerCommand
import TYNetworker

// What a team writes for a command of its own.
@main enum Program {
    static func main() async { await NetworkerCommand.main(channels: [.httpBin, .ty]) }
}
