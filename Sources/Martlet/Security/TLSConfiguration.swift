// How https connections are secured. Default: TLS 1.2 and later, the system's root certificates, host name check always on.

public import Foundation

/// Settings of TLS connections.
public struct TLSConfiguration: Sendable, Hashable {
    /// Where trusted root certificates come from.
    public enum Roots: Sendable, Hashable {
        /// The system's.
        case system
        /// The system's and these, in PEM.
        case systemAnd(pem: Data)
        /// These only, in PEM.
        case only(pem: Data)
    }

    /// The trusted root certificates; the system's by default.
    public var roots: Roots

    /// Accepts any certificate for any host: nothing protects the connection against an impostor. For experiments only;
    /// false by default.
    public var insecurelySkipsVerification = false

    /// Makes a configuration, with the system's roots unless others are given.
    public init(roots: Roots = .system) {
        self.roots = roots
    }

    /// The system's roots and those in a PEM file.
    ///
    /// - Throws: `tlsConfigurationInvalid` when the file cannot be read.
    public static func adding(rootsFile path: String) throws(MartletError) -> TLSConfiguration {
        do {
            return TLSConfiguration(roots: .systemAnd(pem: try Data(contentsOf: URL(filePath: path))))
        } catch {
            throw MartletError(
                .tlsConfigurationInvalid, "The file of root certificates \(path) cannot be read.", underlying: error)
        }
    }

    /// No verification at all: any certificate of any host is accepted. For experiments only.
    public static var insecure: TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.insecurelySkipsVerification = true
        return configuration
    }
}
