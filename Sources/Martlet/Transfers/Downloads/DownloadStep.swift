// What a download tells on its way, and what it ends with.

/// A step of a download.
public enum DownloadStep: Sendable {
    /// A response whose head was accepted. Comes again when the download had to begin anew.
    case started(ResponseHead)
    /// The download goes on behind so many bytes, which were there already or came before the connection was lost.
    case resumed(at: Int)
    /// How far it is: several a second while bytes come, and once at the end.
    case progress(TransferProgress)
    /// The file has its name. No step comes behind it.
    case finished(DownloadedFile)
}

/// A file that was downloaded, complete and under its name.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public let path: String
    /// How many bytes it has.
    public let byteCount: Int
    /// How many bytes of it this download fetched; fewer than `byteCount` when a part was there before.
    public let bytesFetched: Int
    /// How often the connection was lost on the way.
    public let interruptions: Int
    /// The head of the last response.
    public let head: ResponseHead
    /// The URL that answered last.
    public let url: RequestURL
}
