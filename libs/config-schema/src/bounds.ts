/** Bounds of a config document. A document beyond a bound is refused, never truncated. */
export const CONFIG_LIMITS = {
  /** Levels of `targets` below the root. */
  depthMax: 8,
  /** Entries of all `targets` lists together. */
  targetsMax: 100,
  /** UTF-8 bytes of the document as JSON. */
  bytesMax: 65_536,
  /**
   * Levels of objects and arrays of any kind, so that no recursion over a config can exhaust the
   * stack.
   */
  nestingMax: 40,
  nameLengthMax: 255,
  guardrailsMax: 50,
  /** Checks of all inline guardrails of a node, input and output together. */
  writtenOutChecksMax: 100,
  conditionsMax: 100,
  retryAttemptsMax: 5,
  /** Milliseconds of all waits of one request together. */
  waitBudgetMsMax: 60_000,
  hashFieldsMax: 10,
  requestTimeoutMsMax: 3_600_000,
  weightMax: 1_000_000,
  dropPathsMax: 100,
  dropPathLengthMax: 255,
  patternLengthMax: 1024,
  /** `$regex` operators of all conditions together. */
  patternsMax: 50,
  /** Errors that are listed for one document. */
  detailsMax: 100,
} as const;
