import { truncated } from '@gw/kernel';
import type { Credential } from '@gw/providers';

const SHOWN_MAX = 200;
/** Minimum length of texts that are treated as secrets; shorter texts occur in most messages. */
const SECRET_MIN = 4;

/**
 * Returns a provider's text in the form that a message may show: one line of at most 200
 * characters, without control characters and without the credential, which a hostile provider could
 * repeat.
 */
export function shownText(text: string, { apiKey, configurations }: Credential): string {
  let shown = text;
  for (const secret of [...(apiKey === null ? [] : [apiKey]), ...textsIn(configurations)])
    if (secret.length >= SECRET_MIN) shown = shown.replaceAll(secret, '*****');
  const line = shown.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > SHOWN_MAX ? `${truncated(line, SHOWN_MAX - 1)}…` : line;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
