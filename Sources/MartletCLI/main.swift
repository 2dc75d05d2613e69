import Martlet

print("martlet-cli \(MartletClient.version)")
