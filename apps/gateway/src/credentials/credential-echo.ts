import { Buffer } from 'node:buffer';
import { isCredentialHeader } from '@gw/kernel';
import type { Credential, HeaderList } from '@gw/providers';
import { downstreamHeaders } from '../http/header-rules';
import type { Upstream } from '../core/upstream';
import { withoutTexts, CREDENTIAL_MARK } from './credential-search';
import { CredentialMask, probeOf, type Probe } from './credential-mask';

/** Minimum characters of a text to hide; a shorter one occurs by chance and is not a secret. */
const LENGTH_MIN = 8;

/** The head of a response, and the upstream it comes from. */
interface ResponseOrigin {
  readonly headers: readonly string[];
  readonly upstream: Upstream;
}

/** A credential that the provider may repeat and that must not reach the client. */
interface Hidden {
  readonly texts: readonly string[];
  /** The texts in all forms in which a header may repeat them. */
  readonly forms: readonly string[];
  readonly probes: readonly Probe[];
}

const known = new WeakMap<Credential, Hidden | null>();

/** Null when the provider was sent only the caller's own credential. */
function hiddenOf({ credential, saved, target }: Upstream): Hidden | null {
  let hidden = known.get(credential);
  if (hidden === undefined) {
    const isCallers = saved === null && target.apiKey === null;
    hidden = hide([
      isCallers ? null : credential.apiKey,
      ...issuedTexts(credential),
      ...customCredentials(credential),
    ]);
    known.set(credential, hidden);
  }
  return hidden;
}

/** Parts of an issued credential that a provider could repeat. */
function issuedTexts({ issued }: Credential): readonly unknown[] {
  if (issued === undefined) return [];
  return issued.kind === 'bearer' ? [issued.token] : [issued.keys.sessionToken];
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

/** Returns the forms without duplicates; for most keys the first three forms are the same text. */
const formsOf = (text: string): readonly string[] => [
  ...new Set([
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString('base64'),
  ]),
];

/** Whether the gateway must read an error of this provider before the client gets it. */
export const mayRepeatCredential = (upstream: Upstream): boolean => hiddenOf(upstream) !== null;

/** Decodes the error body of a provider and removes the credential that the provider was sent. */
export function withoutCredential(body: Buffer, upstream: Upstream): Buffer {
  const hidden = hiddenOf(upstream);
  return hidden === null ? body : withoutTexts(body, hidden.texts);
}

/** Masks the credential in a response while it is forwarded; null when there is nothing to hide. */
export function maskFor(upstream: Upstream): CredentialMask | null {
  const hidden = hiddenOf(upstream);
  return hidden === null ? null : new CredentialMask(hidden.probes);
}

/** The response headers for the client, without the credential that the provider was sent. */
export function responseHeaders({ headers, upstream }: ResponseOrigin): HeaderList {
  const passed = downstreamHeaders(headers);
  const hidden = hiddenOf(upstream);
  if (hidden === null) return passed;
  const all = passed.join('\n');
  for (const form of hidden.forms) {
    // Rarely true: one search of all values costs less than a search of each.
    if (!all.includes(form)) continue;
    for (let i = 1; i < passed.length; i += 2)
      passed[i] = (passed[i] as string).replaceAll(form, CREDENTIAL_MARK);
  }
  return passed;
}
