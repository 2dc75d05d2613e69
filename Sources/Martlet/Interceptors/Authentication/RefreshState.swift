// The decisions about a credential that is refreshed, as a value. What was tried is numbered: each refresh that ends, well or
// not, begins a new generation. A refusal names the generation that was refused, so that a late one neither starts a refresh that
// has been done nor one that has failed.

/// A credential between two refreshes, or during one.
struct RefreshState<Credential: Sendable> {
    /// What a caller is to do.
    enum Decision {
        /// Use the credential of this generation.
        case use(Credential, Int)
        /// Wait for the refresh that is under way.
        case join
        /// Begin a refresh, from this credential, and wait for it.
        case start(Credential?)
        /// Fail as the refresh of that generation did.
        case fail(MartletError)
        /// Look again: the credential is another than the one that was looked at.
        case lookAgain
    }

    let window: RefreshWindow?
    private(set) var credential: Credential?
    private(set) var generation = 0
    private(set) var obtained: MonotonicInstant
    private(set) var isRefreshing = false
    /// Whether a server has refused the credential.
    private var isRefused = false
    /// Why the last refresh failed; nil when it did not.
    private var failure: MartletError?
    /// When refreshes began, within the window.
    private var starts: [MonotonicInstant] = []

    init(_ credential: Credential?, window: RefreshWindow?, now: MonotonicInstant) {
        self.credential = credential
        self.window = window
        obtained = now
    }

    /// The credential, if it is to be used as it is unless it is too old.
    var current: (credential: Credential, generation: Int, obtained: MonotonicInstant)? {
        guard !isRefreshing, !isRefused, let credential else { return nil }
        return (credential, generation, obtained)
    }

    /// What a caller is to do whose credential of generation `refused` was refused, or who finds the one of generation
    /// `due` too old, or who comes without either.
    mutating func next(after refused: Int?, due: Int?, at now: MonotonicInstant) -> Decision {
        if isRefreshing { return .join }
        if let refused, refused < generation {
            if let failure { return .fail(failure) }
            if !isRefused, let credential { return .use(credential, generation) }
        }
        if refused == nil, !isRefused, let credential {
            guard let due else { return .use(credential, generation) }
            guard due == generation else { return .lookAgain }
        }
        if let excess = excess(at: now) { return .fail(excess) }
        starts.append(now)
        isRefreshing = true
        return .start(credential)
    }

    /// Notes that a generation was refused.
    mutating func refuse(_ refused: Int) {
        if refused == generation { isRefused = true }
    }

    /// Ends the refresh; gives what those who wait for it get.
    mutating func end(_ result: Result<Credential, MartletError>, at now: MonotonicInstant) {
        guard isRefreshing else { return }
        isRefreshing = false
        generation += 1
        switch result {
        case .success(let new): take(new, now)
        case .failure(let error): failure = error
        }
    }

    /// Takes a credential that came from elsewhere, also while a refresh is under way, whose own is then of no use.
    mutating func set(_ new: Credential, at now: MonotonicInstant) {
        isRefreshing = false
        generation += 1
        starts = []
        take(new, now)
    }

    private mutating func take(_ new: Credential, _ now: MonotonicInstant) {
        credential = new
        obtained = now
        failure = nil
        isRefused = false
    }

    private mutating func excess(at now: MonotonicInstant) -> MartletError? {
        guard let window else { return nil }
        starts.removeAll { now.since($0) >= window.interval }
        guard starts.count >= window.maximum else { return nil }
        return MartletError(
            .excessiveRefresh,
            "The credential was refreshed \(starts.count) times within \(window.interval) and is still not accepted: see"
                + " whether the server and what refreshes it agree.")
    }
}
