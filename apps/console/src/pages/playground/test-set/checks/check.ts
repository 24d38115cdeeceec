import type { Run } from '../../../../gateway';

/** Condition on a response. */
export type Check =
  | { readonly kind: 'contains'; readonly text: string }
  /** A pattern in RE2 syntax, bare or as `/pattern/flags`. */
  | { readonly kind: 'regex'; readonly pattern: string }
  /** JSON Schema as text. */
  | { readonly kind: 'schema'; readonly schema: string }
  /** A model judges the response by a criterion in plain language. */
  | { readonly kind: 'judge'; readonly criterion: string; readonly target: string; readonly model: string }
  /** Slug of a guardrail of the workspace. */
  | { readonly kind: 'guardrail'; readonly guardrail: string };

export type CheckKind = Check['kind'];

/**
 * Result of a check. `unjudged`: the check could not decide, which counts neither as passed nor as
 * failed.
 */
export interface Verdict {
  readonly outcome: 'passed' | 'failed' | 'unjudged';
  readonly reason: string;
}

/** A parsed check that can judge responses. */
export interface PreparedCheck {
  /**
   * Judges a response. Never rejects: an error becomes an `unjudged` verdict. `run` is the request
   * to the judging model; null when the check sends none.
   */
  readonly judge: (
    answer: string,
    signal: AbortSignal,
  ) => Promise<{ readonly verdict: Verdict; readonly run: Run | null }>;
}

export const passed = (isPassed: boolean, reason: string): Verdict => ({
  outcome: isPassed ? 'passed' : 'failed',
  reason,
});

export const unjudged = (reason: string): Verdict => ({ outcome: 'unjudged', reason });
