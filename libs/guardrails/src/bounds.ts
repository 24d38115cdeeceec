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
  /** Maximum nesting levels of a body; a more deeply nested body is not judged. */
  bodyDepthMax: 64,
  /** Maximum timeout of one check, in milliseconds. */
  timeoutMsMax: 60_000,
  /** Maximum bytes of a response of a webhook or a partner. */
  responseBytesMax: 1_048_576,
  /**
   * Maximum characters of a stream that are buffered for checks of the whole response; a longer
   * stream that is held back is denied.
   */
  heldLengthMax: 1_000_000,
  /** Maximum placeholders of one request that a response can restore to their original texts. */
  placeholdersMax: 1_000,
  forwardHeadersMax: 50,
} as const;
