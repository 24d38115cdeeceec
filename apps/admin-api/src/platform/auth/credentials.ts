import { HEADER } from '@gw/contracts';
import type { FastifyRequest } from 'fastify';

/** The credential in a request, before any lookup. */
export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly secret: string }
  | { readonly kind: 'session'; readonly token: string };

const SECRET_MAX = 4_096;
/** Three base64url parts with a JSON header. API keys contain no dots. */
const JWT_SHAPE = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

const credentialAfter =
  (scheme: RegExp) =>
  ({ headers }: Pick<FastifyRequest, 'headers'>): string | null =>
    scheme.exec(headers.authorization ?? '')?.[1] ?? null;

/** Returns the text after `Bearer `, or null. */
export const bearerOf = credentialAfter(/^Bearer +([^\s]+) *$/i);

/**
 * Returns the token of a request with a proof of possession (DPoP): the text after `DPoP `, or
 * null.
 */
export const boundTokenOf = credentialAfter(/^DPoP +([^\s]+) *$/i);

/** Returns the credential of a request. `x-gw-api-key` takes precedence over `Authorization`. */
export function presentedBy(request: Pick<FastifyRequest, 'headers'>): Presented {
  const header = request.headers[HEADER.apiKey];
  const secret =
    (typeof header === 'string' ? header.trim() : '') || (bearerOf(request) ?? boundTokenOf(request));
  if (!secret || secret.length > SECRET_MAX) return { kind: 'none' };
  return JWT_SHAPE.test(secret) ? { kind: 'session', token: secret } : { kind: 'api_key', secret };
}
