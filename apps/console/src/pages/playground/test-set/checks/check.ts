import type { Run } from '../../../../gateway';

/** Condition on an answer. */
export type Check =
  | { readonly kind: 'contains'; readonly text: string }
  /** A pattern in RE2 syntax, bare or as `/pattern/flags`. */
  | { readonly kind: 'regex'; readonly pattern: string }
  /** JSON Schema as text. */
  | { readonly kind: 'schema'; readonly schema: string }
  /** A model decides by a criterion in words. */
  | { readonly kind: 'judge'; readonly criterion: string; readonly target: string; readonly model: string }
  /** Slug of a guardrail of the workspace. */
  | { readonly kind: 'guardrail'; readonly guardrail: string };

export type CheckKind = Check['kind'];

/** `unjudged`: the check could not decide, which counts as neither. */
export interface Verdict {
  readonly outcome: 'passed' | 'failed' | 'unjudged';
  readonly reason: string;
}

/** A check that was read and is ready to judge answers. */
export interface PreparedCheck {
  /** Never rejects: a failure is an `unjudged` verdict. `run`: the request that a model judged by; null: there was none. */
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
