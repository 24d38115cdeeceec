import { GUARDRAIL_LIMITS } from './bounds';
import type { JsonObject } from './json';
import type { Eventually } from './eventually';
import type { GuardrailPort } from './port';
import type { SecretSource } from './secret-reference';
import type { GuardrailStage, Subject } from './subject';
import type { Scope } from './text/scope';
import type { Pace } from './work';

/** The kind of data that a check looks at. */
export type CheckKind = 'text' | 'params' | 'metadata' | 'webhook';

export { CheckError } from './check-error';

export interface CheckContext extends Pace {
  readonly port: GuardrailPort;
  /** Aborted when the check's time is over. */
  readonly signal: AbortSignal;
}

export interface CheckOutcome {
  readonly verdict: boolean;
  /**
   * Public facts about the verdict. They never contain what was found, only its kind and how often.
   */
  readonly data?: JsonObject | null;
  /** Replacement texts, by the position of the passage. */
  readonly edits?: ReadonlyMap<number, string>;
  /** A body that replaces the checked one. */
  readonly body?: unknown;
  /** Placeholders with the original texts; never shown or logged. */
  readonly placeholders?: ReadonlyMap<string, string>;
}

/** A range of a text that a check of streams found. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** Replacement text; null when the range stays. */
  readonly replacement: string | null;
}

/** Follows one text as it arrives. Positions are characters from the start of the text. */
export interface WindowFollower {
  push(piece: string): void;
  /** No finding that starts before this position can still appear, end or change. */
  readonly openFrom: number;
  /** No finding ends after this position. */
  readonly endsBy: number;
}

/** A check that can judge a text while it is being written. */
export interface WindowScan {
  readonly scope: readonly Scope[];
  /** Maximum characters of a finding; a longer one may be missed. */
  readonly lengthMax: number;
  /** Whether a finding fails the check. Otherwise findings are only replaced. */
  readonly denies: boolean;
  /** Returns all findings of a text in order, without overlaps. */
  find(text: string): readonly TextMatch[];
  /** Creates a follower. When absent or null, as much text is held back as the longest finding. */
  follow?(): WindowFollower | null;
}

/** A check with its parameters, prepared once per saved version of a guardrail. */
export interface PreparedCheck {
  /**
   * Evaluates a subject; returns a promise only if it must wait. Throws `CheckError`; any other
   * error counts the same.
   */
  evaluate(subject: Subject, context: CheckContext): Eventually<CheckOutcome>;
  /** When absent, the check needs the whole response. */
  readonly window?: WindowScan;
  /** Whether it may change the body with these parameters. */
  readonly transforms?: boolean;
  /** False when it ignores passthrough requests. */
  readonly runsOnPassthrough?: boolean;
}

/**
 * Reports an invalid parameter: its path below `parameters`, the rule, and the problem as part of a
 * sentence.
 */
export type ParameterReport = (
  path: readonly (string | number)[],
  rule: string,
  message: string,
  value: unknown,
) => void;

export interface CheckDefinition<P extends object = object> {
  /** For example `default.regexMatch`, `gw.pii`, `azure.contentSafety`. */
  readonly id: string;
  /** Other names of the check. Case is ignored. */
  readonly aliases?: readonly string[];
  /** One-line description for users. */
  readonly doc: string;
  readonly kind: CheckKind;
  readonly stages: readonly GuardrailStage[];
  /**
   * Whether guardrails with the target `mcp_tools` may contain it. False for checks that call other
   * services, and for those of personal data, language and gibberish.
   */
  readonly allowedForMcpTools: boolean;
  /**
   * Whether it judges a response only as a whole. A stream is then held back or only marked, as the
   * guardrail says. It has no effect in checks of requests only.
   */
  readonly wholeResponse: boolean;
  /** Whether it may change the body. */
  readonly transforms: boolean;
  /** Milliseconds, unless the guardrail or `timeoutParameter` overrides it. */
  readonly timeoutMs: number;
  /**
   * Name of the parameter that sets the timeout; `defineCheck` adds it to the schema. When absent,
   * no parameter does.
   */
  readonly timeoutParameter?: string;
  /**
   * JSON Schema (2020-12) of `parameters`: an object without unknown members. Defaults are filled
   * in.
   */
  readonly parameters: JsonObject;
  readonly example: P;
  /** Names of parameters whose values are secrets. */
  readonly secretParameters?: readonly string[];
  /**
   * Names of parameters that determine where secrets are sent. A check with secrets has at least
   * one.
   */
  readonly addressParameters?: readonly string[];
  /**
   * Compiles parameters that match the schema. Other problems are reported, and the result is then
   * not used. `secrets` reads parameters that are references.
   */
  prepare(parameters: P, report: ParameterReport, secrets?: SecretSource): PreparedCheck;
}

/**
 * Types the parameters within a definition, while all definitions fit into one table. Adds
 * `timeoutParameter` to the schema of the parameters.
 */
export function defineCheck<P extends object>(definition: CheckDefinition<P>): CheckDefinition {
  const { timeoutParameter, timeoutMs, parameters } = definition;
  if (timeoutParameter === undefined) return definition;
  const properties = {
    ...(parameters['properties'] as JsonObject),
    [timeoutParameter]: {
      type: 'integer',
      minimum: 1,
      maximum: GUARDRAIL_LIMITS.timeoutMsMax,
      default: timeoutMs,
      description: 'Milliseconds.',
    },
  };
  return { ...definition, parameters: { ...parameters, properties } };
}

/**
 * Returns the timeout of a check in milliseconds, with parameters that its schema has validated and
 * completed.
 */
export const timeoutOf = (
  { timeoutParameter: name, timeoutMs }: CheckDefinition,
  parameters: JsonObject,
): number => (name === undefined ? timeoutMs : (parameters[name] as number));

export interface ScopeParameter {
  readonly scope: readonly Scope[];
}
