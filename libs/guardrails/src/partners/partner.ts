import type { ParameterReport } from '../check';
import type { JsonObject } from '../json';
import type { GuardrailStage } from '../subject';
import type { Scope } from '../text/scope';

/** What a partner says of some texts. */
export interface PartnerVerdict {
  readonly flagged: boolean;
  /** Names and scores only: never what was found. */
  readonly data: JsonObject;
  /** Places of the one text that was sent, where the partner tells them. */
  readonly places?: readonly { readonly start: number; readonly end: number; readonly label: string }[];
}

/** A call as it is sent. */
export interface PartnerRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A check that an HTTP service of somebody else decides: how to ask it, and how to read what it says. */
export interface PartnerDefinition {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  /** JSON Schema of the parameters that are its own; `scope` and `timeout` are added. */
  readonly parameters: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly secrets: readonly string[];
  readonly example: JsonObject;
  readonly scope: readonly Scope[];
  /** `{name}` is the parameter, encoded where it is no address. */
  readonly url: string;
  /** As `url`: what `{endpoint}` is where the parameter is absent. */
  readonly endpoint?: string;
  /** `{name}` as in `url`, as it is. A header whose parameter is absent is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Characters of one text; longer ones are sent in pieces. */
  readonly textLengthMax: number;
  /** Texts of one call. */
  readonly textsMax: number;
  /** Reports what is wrong with the parameters besides their schema. */
  check?(parameters: JsonObject, report: ParameterReport): void;
  /** Returns the headers of a call to a service that requires signed requests. */
  sign?(call: PartnerRequest, parameters: JsonObject, now: Date): Promise<Readonly<Record<string, string>>>;
  body(texts: readonly string[], parameters: JsonObject, stage: GuardrailStage): JsonObject;
  /** Throws or returns null for an answer that says nothing. */
  read(answer: unknown, parameters: JsonObject): PartnerVerdict | null;
}

/** Puts parameters in the places of a template; null where one that it names is absent. */
export function filled(
  template: string,
  parameters: JsonObject,
  encode: (value: string) => string,
): string | null {
  let missing = false;
  const text = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (typeof value !== 'string' && typeof value !== 'number') {
      missing = true;
      return '';
    }
    return /endpoint/i.test(name) ? String(value).replace(/(?<!\/)\/+$/, '') : encode(String(value));
  });
  return missing ? null : text;
}
