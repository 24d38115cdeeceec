import { HOUR_MS, requestedWaitMs } from '@gw/kernel';

/** Maximum wait that a response can request. */
const RETRY_AFTER_MAX_MS = HOUR_MS;

/**
 * Headers of a response: a flat list of lower-case names and values, searched on demand because few
 * are read.
 */
export class ResponseHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** Returns the first value of a header by its lower-case name. */
  get(name: string): string | undefined {
    const { raw } = this;
    for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at] === name) return raw[at + 1];
    return undefined;
  }

  /** The media type of the body in lower case, without parameters; empty when there is none. */
  get mediaType(): string {
    return (this.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  }

  /**
   * The milliseconds that the response asks the caller to wait, at most an hour; null when it does
   * not ask for a wait.
   */
  get retryAfterMs(): number | null {
    const waitMs = requestedWaitMs((name) => this.get(name), Date.now());
    return waitMs === null ? null : Math.min(RETRY_AFTER_MAX_MS, waitMs);
  }
}
