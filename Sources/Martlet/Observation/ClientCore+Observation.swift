// The way of a call that somebody observes: around the way of all calls, and around what goes on the wire.

extension ClientCore {
    /// Sends a request as `send` does, and tells how the call begins and ends.
    nonisolated(nonsending) func sendObserved(
        _ request: Request, _ layers: LayerStack, _ observers: ObserverSet
    ) async throws -> Response<ResponseBody> {
        let call = ObservedCall(request, observers, time)
        call.emit(.calls, .callStarted)
        do {
            var response = try await send(request, through: layers, observed: call)
            call.returned(&response)
            return response
        } catch {
            call.end(ClientEvent.Outcome(error))
            throw error
        }
    }

    /// Puts a request on the wire, and tells of the attempt what the transport does not.
    nonisolated(nonsending) func transmitObserved(
        _ request: Request, _ call: ObservedCall
    ) async throws -> Response<ResponseBody> {
        let attempt = call.beginAttempt(request)
        var request = request
        request.options.observation = attempt
        do {
            var response = try await transport.send(request)
            attempt.answered(&response)
            return response
        } catch {
            attempt.failed(error)
            throw error
        }
    }
}
