// What a team writes for a command of its own; README and the page "The command" show it.
import HTTPBinNetworker
import NetworkerCommand
import TYNetworker

@main enum Program { static func main() async { await NetworkerCommand.main(channels: [.httpBin, .ty]) } }
