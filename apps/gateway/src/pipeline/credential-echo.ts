import { Buffer } from 'node:buffer';
import { isCredentialHeader } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { downstreamHeaders } from '../http/header-rules';
import type { Answer, Upstream } from './answer';

export const CREDENTIAL_MARK = '[credential]';
/** A shorter text is found by chance, and is no secret. */
const LENGTH_MIN = 8;

/** The credential that a provider was sent, in the forms in which it may come back. */
export function formsOf({ credential }: Upstream): readonly string[] {
  const custom = credential.configurations['custom_headers'];
  const saved = Object.entries(typeof custom === 'object' && custom !== null ? custom : {})
    .filter(([name]) => isCredentialHeader(name.toLowerCase()))
    .map(([, value]: [string, unknown]) => value);
  const texts = [credential.apiKey, ...saved].filter((text) => typeof text === 'string');
  return texts
    .filter((text) => text.length >= LENGTH_MIN)
    .flatMap((text) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      Buffer.from(text).toString('base64'),
    ]);
}

const masked = (text: string, forms: readonly string[]): string =>
  forms.reduce((left, form) => left.replaceAll(form, CREDENTIAL_MARK), text);

/** The error body of a provider without the credential that it was sent. */
export function withoutCredential(body: Buffer, upstream: Upstream): Buffer {
  const forms = formsOf(upstream);
  return forms.some((form) => body.includes(form)) ? Buffer.from(masked(body.toString('utf8'), forms)) : body;
}

/** The headers of a provider's answer that may reach the client, without the credential that it was sent. */
export function answerHeaders({ headers, upstream }: Answer): HeaderList {
  const passed = downstreamHeaders(headers);
  const forms = formsOf(upstream);
  for (let i = 1; i < passed.length; i += 2) passed[i] = masked(passed[i] as string, forms);
  return passed;
}
