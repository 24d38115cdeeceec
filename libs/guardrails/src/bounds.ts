/**
 * Bounds of guardrails. Beyond a bound a value is refused, or a check cannot decide; nothing is cut
 * silently.
 */
export const GUARDRAIL_LIMITS = {
  checksMax: 50,
  /** UTF-8 bytes of one guardrail document as JSON. */
  documentBytesMax: 131_072,
  /** Levels of objects and lists in a guardrail document. */
  nestingMax: 40,
  /** Failures reported for one document. */
  detailsMax: 100,
  /** UTF-16 units of the text that one check gets. */
  textLengthMax: 4_000_000,
  /** Characters that all checks of one request read together; beyond it a check cannot decide. */
  workMax: 20_000_000,
  /** Texts of one body; a body with more is not judged. */
  passagesMax: 20_000,
  /** Levels of a body that are walked. */
  bodyDepthMax: 64,
  /** Milliseconds of one check. */
  timeoutMsMax: 60_000,
  /** Bytes of the response of a webhook or a partner. */
  responseBytesMax: 1_048_576,
  /**
   * Characters of a stream kept for checks that need the whole response; a longer stream that is
   * held back is denied.
   */
  heldLengthMax: 1_000_000,
  /** Placeholders of one request that can be replaced by the original texts. */
  placeholdersMax: 1_000,
  forwardHeadersMax: 50,
} as const;
