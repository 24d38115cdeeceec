import type { JsonObject } from './json';

/** Verdict of one check in `hook_results`. */
export interface CheckResult {
  readonly id: string;
  readonly verdict: boolean;
  readonly data: JsonObject | null;
  /** Milliseconds, with fractions. */
  readonly execution_time: number;
  readonly transformed: boolean;
  /** ISO 8601. */
  readonly created_at: string;
  readonly log: null;
  readonly fail_on_error: boolean;
  /** The check could not decide. */
  readonly error?: { readonly name: string; readonly message: string };
}

export interface FeedbackResult {
  readonly value: number;
  readonly weight: number;
  readonly metadata: JsonObject & {
    readonly successfulChecks: string;
    readonly failedChecks: string;
    readonly erroredChecks: string;
  };
}

/** Verdict of one guardrail in `hook_results`. */
export interface GuardrailResult {
  readonly id: string;
  readonly type: 'guardrail';
  readonly verdict: boolean;
  readonly deny: boolean;
  readonly async: boolean;
  /** It only watches: its verdict decides nothing. */
  readonly monitor?: true;
  readonly transformed: boolean;
  readonly checks: readonly CheckResult[];
  readonly feedback: FeedbackResult | null;
  readonly execution_time: number;
  readonly created_at: string;
  readonly guardrail_version_id: string | null;
}

export interface HookResults {
  readonly before_request_hooks: readonly GuardrailResult[];
  readonly after_request_hooks: readonly GuardrailResult[];
}

export const hookResults = (
  before: readonly GuardrailResult[],
  after: readonly GuardrailResult[] = [],
): HookResults => ({ before_request_hooks: before, after_request_hooks: after });

/** What the guardrails of one stage have decided together. */
export interface StageVerdict {
  readonly outcome: 'pass' | 'mark' | 'deny';
  /** Those that ran before the answer goes on; asynchronous ones come later. */
  readonly results: readonly GuardrailResult[];
  /** Message for a denied caller; null: the default sentence. */
  readonly message: string | null;
  /** The body that takes the place of the one that was judged; undefined: it stays, byte for byte. */
  readonly body?: unknown;
  /** The texts behind the placeholders of the new body, to restore them in the response; null: none. */
  readonly placeholders: ReadonlyMap<string, string> | null;
}

export const PASSED: StageVerdict = { outcome: 'pass', results: [], message: null, placeholders: null };
