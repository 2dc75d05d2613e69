// The attempts of a call that came before its outcome, numbered as they went on the wire.

import Foundation

/// What came before.
struct AttemptHistory {
    private(set) var records: [MartletError.AttemptRecord] = []

    /// Notes a failed attempt, and the recoveries of its connection before it.
    mutating func add(_ outcome: RetryLayer.Outcome, to request: Request, _ delay: Duration?) {
        switch outcome {
        case .response(let response):
            append(response.attempts)
            let cause = MartletError(.unacceptableStatus, "The server answered \(response.status).").with {
                $0.request = request.summary
                $0.response = MartletError.FailedResponse(head: response.head, bodyPrefix: .init())
                $0.mayHaveReachedServer = true
            }
            append([MartletError.AttemptRecord(number: 0, cause: cause, delay: delay)])
        case .failure(let error):
            append(error.attempts)
            let cause = error.attempts.isEmpty ? error : error.with { $0.attempts = [] }
            append([MartletError.AttemptRecord(number: 0, cause: cause, delay: delay)])
        }
    }

    private mutating func append(_ others: [MartletError.AttemptRecord]) {
        for var record in others {
            record.number = records.count + 1
            records.append(record)
        }
    }

    /// The response with what came before it.
    func completing(_ response: Response<ResponseBody>) -> Response<ResponseBody> {
        guard !records.isEmpty else { return response }
        var (response, all) = (response, self)
        all.append(response.attempts)
        response.attempts = all.records
        return response
    }

    /// The error with what came before it.
    func completing(_ error: MartletError) -> MartletError {
        guard !records.isEmpty else { return error }
        var all = self
        all.append(error.attempts)
        return error.with {
            $0.attempts = all.records
            $0.mayHaveReachedServer = $0.mayHaveReachedServer || records.contains { $0.mayHaveReachedServer }
        }
    }
}

extension MartletError.AttemptRecord {
    fileprivate var mayHaveReachedServer: Bool { (cause as? MartletError)?.mayHaveReachedServer ?? true }
}
