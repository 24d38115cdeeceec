import { Buffer } from 'node:buffer';
import { isCredentialHeader } from '@gw/kernel';
import type { Credential, HeaderList } from '@gw/providers';
import { downstreamHeaders } from '../http/header-rules';
import type { Upstream } from '../core/upstream';
import { withoutTexts, CREDENTIAL_MARK } from './credential-search';
import { CredentialMask, probeOf, type Probe } from './credential-mask';

/** A shorter text is found by chance, and is no secret. */
const LENGTH_MIN = 8;

/** The head of an answer, and where it comes from. */
interface ResponseOrigin {
  readonly headers: readonly string[];
  readonly upstream: Upstream;
}

/** A credential that its provider may repeat and the client must not get. */
interface Hidden {
  readonly texts: readonly string[];
  /** The texts in the forms in which a header may repeat them. */
  readonly forms: readonly string[];
  readonly probes: readonly Probe[];
}

const known = new WeakMap<Credential, Hidden | null>();

/** Null: the provider was sent no credential but the caller's own. */
function hiddenOf({ credential, saved, target }: Upstream): Hidden | null {
  let hidden = known.get(credential);
  if (hidden === undefined) {
    const isCallers = saved === null && target.apiKey === null;
    hidden = hide([isCallers ? null : credential.apiKey, ...customCredentials(credential)]);
    known.set(credential, hidden);
  }
  return hidden;
}

function customCredentials({ configurations }: Credential): readonly unknown[] {
  const custom = configurations['custom_headers'];
  return Object.entries(typeof custom === 'object' && custom !== null ? custom : {})
    .filter(([name]) => isCredentialHeader(name.toLowerCase()))
    .map(([, value]: [string, unknown]) => value);
}

function hide(values: readonly unknown[]): Hidden | null {
  const texts = values
    .filter((text) => typeof text === 'string')
    .filter(({ length }) => length >= LENGTH_MIN);
  return texts.length === 0 ? null : { texts, forms: texts.flatMap(formsOf), probes: texts.map(probeOf) };
}

/** Each once: most keys are the same text in the first three. */
const formsOf = (text: string): readonly string[] => [
  ...new Set([
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString('base64'),
  ]),
];

/** Whether an error of this provider is read before the client gets it. */
export const mayRepeatCredential = (upstream: Upstream): boolean => hiddenOf(upstream) !== null;

/** The error body of a provider, undone of its coding, without the credential that it was sent. */
export function withoutCredential(body: Buffer, upstream: Upstream): Buffer {
  const hidden = hiddenOf(upstream);
  return hidden === null ? body : withoutTexts(body, hidden.texts);
}

/** Searches an answer that goes by; null: there is nothing to hide. */
export function maskFor(upstream: Upstream): CredentialMask | null {
  const hidden = hiddenOf(upstream);
  return hidden === null ? null : new CredentialMask(hidden.probes);
}

/** The headers of a provider's answer that may reach the client, without the credential that it was sent. */
export function responseHeaders({ headers, upstream }: ResponseOrigin): HeaderList {
  const passed = downstreamHeaders(headers);
  const hidden = hiddenOf(upstream);
  if (hidden === null) return passed;
  const all = passed.join('\n');
  for (const form of hidden.forms) {
    // Hardly ever: one search of all values costs less than one of each.
    if (!all.includes(form)) continue;
    for (let i = 1; i < passed.length; i += 2)
      passed[i] = (passed[i] as string).replaceAll(form, CREDENTIAL_MARK);
  }
  return passed;
}
