// What shows only in numbers or over time. One after the other: each measures a process of its own, and they would slow
// one another down.

import Testing

@Suite(.serialized) struct SoakTests {}
