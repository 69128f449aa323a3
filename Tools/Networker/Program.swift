import NetworkerCommand
import NetworkerKitChannels
import NetworkerKitDemo

@main enum Program {
    static func main() async {
        await NetworkerCommand.main(channels: everyChannel, subcommands: demoCommands)
    }
}
