import type { ParameterReport } from '../check';
import type { JsonObject } from '../json';
import type { GuardrailStage } from '../subject';
import type { Scope } from '../text/scope';

/** A partner's verdict about some texts. */
export interface PartnerVerdict {
  readonly flagged: boolean;
  /** Names and scores only, never the text that was found. */
  readonly data: JsonObject;
  /** Ranges in the one text that was sent, if the partner reports them. */
  readonly places?: readonly { readonly start: number; readonly end: number; readonly label: string }[];
}

/** A complete call to a partner. */
export interface PartnerRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A check that a partner's HTTP service decides: how to build the call, and how to read the
 * response.
 */
export interface PartnerDefinition {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  /** JSON Schema of the partner's own parameters; `scope` and `timeout` are added. */
  readonly parameters: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly secrets: readonly string[];
  readonly example: JsonObject;
  readonly scope: readonly Scope[];
  /** `{name}` is replaced by the parameter, URL-encoded unless it is an endpoint. */
  readonly url: string;
  /** Default of `{endpoint}` when the parameter is absent; a template like `url`. */
  readonly endpoint?: string;
  /**
   * Headers; `{name}` as in `url`, without encoding. A header whose parameter is absent is omitted.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum characters of one text; a longer one is sent in pieces. */
  readonly textLengthMax: number;
  /** Maximum texts of one call. */
  readonly textsMax: number;
  /** Reports problems of the parameters that the schema does not cover. */
  check?(parameters: JsonObject, report: ParameterReport): void;
  /** Returns the headers of a call to a service that requires signed requests. */
  sign?(call: PartnerRequest, parameters: JsonObject, now: Date): Promise<Readonly<Record<string, string>>>;
  body(texts: readonly string[], parameters: JsonObject, stage: GuardrailStage): JsonObject;
  /** Throws, or returns null for a response without a verdict. */
  read(response: unknown, parameters: JsonObject): PartnerVerdict | null;
}

/** Fills parameters into a template; returns null when one of them is absent. */
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
