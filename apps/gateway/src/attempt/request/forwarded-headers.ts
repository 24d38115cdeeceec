import { GATEWAY_HEADER_PREFIX, HEADER } from '@gw/contracts';
import { GatewayError, isCredentialHeader, textsOf } from '@gw/kernel';
import { chosenHeaders } from '../../http/header-rules';
import type { OwnCredentials } from '../../credentials/own-credentials';
import type { RequestView } from '../../core/request-context';
import { isMeantFor, type Recipient } from '../../credentials/callers-key';

/**
 * Headers of the gateway that never hold a credential. All others may hold one, such as a config or
 * the fields of a provider.
 */
const PLAIN_OWN: ReadonlySet<string> = new Set([
  HEADER.traceId,
  HEADER.spanId,
  HEADER.parentSpanId,
  HEADER.spanName,
  HEADER.metadata,
  HEADER.provider,
]);

/** WebSocket clients that cannot set headers send their key as a subprotocol. */
const PROTOCOL = 'sec-websocket-protocol';

const mayHoldCredential = (name: string): boolean =>
  isCredentialHeader(name) ||
  name === PROTOCOL ||
  (name.startsWith(GATEWAY_HEADER_PREFIX) && !PLAIN_OWN.has(name));

/**
 * Returns the headers that `forward_headers` names, as the caller sent them. Headers that carry
 * credentials are forwarded only to recipients that may receive the caller's provider key. A header
 * that holds the request's gateway key is never forwarded.
 */
export function forwardedHeaders(context: RequestView, recipient: Recipient): readonly string[] {
  const { gw, req } = context;
  const names = gw.forwardHeaders ?? recipient.target.forwardHeaders;
  if (names.length === 0) return NONE;
  const getsCredentials = isMeantFor(context, recipient);
  const { apiKey } = gw;
  return chosenHeaders(
    req.rawHeaders,
    (name, value) =>
      names.includes(name) &&
      (getsCredentials || !mayHoldCredential(name)) &&
      (apiKey === null || !value.includes(apiKey)),
  );
}

const NONE: readonly string[] = [];

/**
 * Maximum number of texts in all forwarded headers that could be credentials of this gateway; each
 * may cost a look-up.
 */
const TEXTS_MAX = 64;

/**
 * Rejects with `header_invalid` when a forwarded header holds a credential of this gateway, which
 * no provider may receive.
 */
export async function refuseOwnCredentials(
  own: OwnCredentials,
  context: RequestView,
  recipient: Recipient,
): Promise<void> {
  const headers = forwardedHeaders(context, recipient);
  /** Maps each text with the form of a credential to the name of its header. */
  const suspects = new Map<string, string>();
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    for (const text of textsOf(headers[i + 1] as string))
      if (own.couldInclude(text)) suspects.set(text, name);
    if (suspects.size > TEXTS_MAX) throw tooMany(name);
  }
  await Promise.all(
    [...suspects].map(async ([text, name]) => {
      if (await own.includes(text)) throw ownCredential(name);
    }),
  );
}

export const ownCredential = (param: string): GatewayError =>
  new GatewayError('header_invalid', {
    param,
    message: 'A credential of this gateway is never sent to a provider; send the provider’s own key.',
  });

const tooMany = (param: string): GatewayError =>
  new GatewayError('header_invalid', {
    param,
    message: `Forwarded headers hold more than ${String(TEXTS_MAX)} texts that could be keys; forward fewer headers.`,
  });
