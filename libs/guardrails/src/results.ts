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
  /** Present when the check could not decide. */
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
  /** Present when the guardrail only monitors, so that its verdict has no effect. */
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

/** The joint decision of the guardrails of one stage. */
export interface StageVerdict {
  readonly outcome: 'pass' | 'mark' | 'deny';
  /** Results of the synchronous guardrails; asynchronous ones follow later. */
  readonly results: readonly GuardrailResult[];
  /** Message for a denied caller; null for the default one. */
  readonly message: string | null;
  /**
   * A body that replaces the judged one; when undefined, the body stays unchanged byte for byte.
   */
  readonly body?: unknown;
  /**
   * Original texts by placeholder of the new body, to restore them in the response; null for none.
   */
  readonly placeholders: ReadonlyMap<string, string> | null;
}

export const PASSED: StageVerdict = { outcome: 'pass', results: [], message: null, placeholders: null };
