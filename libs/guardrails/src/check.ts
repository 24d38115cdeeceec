import type { JsonObject } from './json';
import type { Eventually } from './eventually';
import type { GuardrailWorld } from './port';
import type { SecretSource } from './secret-reference';
import type { GuardrailStage, Subject } from './subject';
import type { Scope } from './text/scope';
import type { Pace } from './work';

/** What a check looks at. */
export type CheckKind = 'text' | 'params' | 'metadata' | 'webhook';

export { CheckError } from './check-error';

export interface CheckContext extends Pace {
  readonly world: GuardrailWorld;
  /** Aborted when the check's time is over. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly verdict: boolean;
  /** Public facts about the verdict. Never holds what was found, only what kind of thing and how often. */
  readonly data?: JsonObject | null;
  /** Texts that take the place of others, by the passage's position. */
  readonly edits?: ReadonlyMap<number, string>;
  /** A body that takes the place of the one that was judged. */
  readonly body?: unknown;
  /** Placeholders and what they stand for; never shown, never logged. */
  readonly placeholders?: ReadonlyMap<string, string>;
}

/** A place in a text that a check of streams found. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** What takes its place; null: it stays. */
  readonly replacement: string | null;
}

/** Follows one text as it comes in. Positions are characters from the beginning of the text. */
export interface WindowFollower {
  push(piece: string): void;
  /** No finding that begins before it can still come, end or go. */
  readonly openFrom: number;
  /** No finding ends behind it. */
  readonly endsBy: number;
}

/** A check that can judge a text while it is still being written. */
export interface WindowScan {
  readonly scope: readonly Scope[];
  /** Longest finding in characters. What is longer may be missed. */
  readonly lengthMax: number;
  /** Whether a finding is a failed check. Otherwise findings are only replaced. */
  readonly denies: boolean;
  /** All findings of a text, in order and without overlaps. */
  find(text: string): readonly Finding[];
  /** Absent, or null: as much is held back as the longest finding. */
  follow?(): WindowFollower | null;
}

/** A check with its parameters, made once for each saved version of a guardrail. */
export interface PreparedCheck {
  /** Returns a promise only where it has to wait. Throws `CheckError`; anything else that is thrown counts the same. */
  evaluate(subject: Subject, context: CheckContext): Eventually<Outcome>;
  /** Absent: the check needs the whole answer. */
  readonly window?: WindowScan;
  /** May change the body with these parameters. */
  readonly transforms?: boolean;
  /** False: a request that is sent on as it came is none of its business. */
  readonly runsOnPassthrough?: boolean;
}

/** Says what is wrong with a parameter: where below `parameters`, and the rule as a sentence part. */
export type ParameterReport = (
  path: readonly (string | number)[],
  rule: string,
  message: string,
  value: unknown,
) => void;

export interface CheckDefinition<P extends object = object> {
  /** `default.regexMatch`, `gw.pii`, `azure.contentSafety`. */
  readonly id: string;
  /** Other spellings that mean the same. Case never counts. */
  readonly aliases?: readonly string[];
  /** One line for people. */
  readonly doc: string;
  readonly kind: CheckKind;
  readonly stages: readonly GuardrailStage[];
  /** Judges the same text the same way, without asking anybody: allowed for tools of MCP servers. */
  readonly deterministic: boolean;
  /** Judges an answer only as a whole: on a stream it is held back or only marked, as the guardrail says. */
  readonly wholeAnswer: boolean;
  /** May change the body. */
  readonly transforms: boolean;
  /** Milliseconds, unless the guardrail says otherwise. */
  readonly timeoutMs: number;
  /** JSON Schema (2020-12) of `parameters`: an object that takes nothing it does not name. Its defaults are filled in. */
  readonly parameters: JsonObject;
  readonly example: P;
  /** Members whose values are secrets. */
  readonly secretParameters?: readonly string[];
  /** Members that decide where the secrets are sent. A check with secrets has at least one. */
  readonly addressParameters?: readonly string[];
  /**
   * Compiles the parameters, which match the schema. What else is wrong with them is reported; the result is not used then. `secrets`
   * reads those that are references.
   */
  prepare(parameters: P, report: ParameterReport, secrets?: SecretSource): PreparedCheck;
}

/** Keeps the type of the parameters within a definition, and lets all definitions stand in one table. */
export const defineCheck = <P extends object>(definition: CheckDefinition<P>): CheckDefinition => definition;

export interface ScopeParameter {
  readonly scope: readonly Scope[];
}
