import { isObject } from '@gw/kernel';
import { CODES } from '../fault';
import type { ClientCapabilities } from '../http/client-capabilities';
import type { JsonObject } from '../protocol';
import { own, ownObject, type RpcError } from '../rpc/message';
import type { InputRequest } from '../sealed/request-state';
import { mayRequest } from '../sealed/retry';
import { isHttps, relayedCapabilities, type RelayRules } from './modern-client';

/** Decision about a request that an upstream sends to the client. */
export type RelayVerdict =
  | { readonly kind: 'relay'; readonly request: InputRequest }
  | { readonly kind: 'refuse'; readonly error: RpcError };

export interface RelayContext extends RelayRules {
  /** Capabilities that the client declared. */
  readonly capabilities: ClientCapabilities;
  /** Hosts of this installation, to which no upstream may send users. */
  readonly ownHosts: readonly string[];
  /** Number of earlier requests of this method in the same call. */
  readonly countBefore: number;
}

const REQUESTS_OF_CALL_MAX = 5;
const METHODS: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/**
 * Judges a request of an upstream to the client, during a call. Refuses with -32601 requests that
 * the client did not declare or the integration does not allow; with -32602 forms that request
 * secrets or are not flat, and URLs that are not https or point to this installation. A call may
 * have at most 5 requests.
 */
export function judgeUpstreamRequest(
  method: string,
  params: JsonObject,
  context: RelayContext,
): RelayVerdict {
  const refuse = (code: number, message: string): RelayVerdict => ({
    kind: 'refuse',
    error: { code, message },
  });
  const request = { method: method as InputRequest['method'], params };
  if (!METHODS.includes(method) || !mayRequest(relayedCapabilities(context.capabilities, context), request))
    return refuse(CODES.methodNotFound, 'Method not found.');
  if (context.countBefore >= REQUESTS_OF_CALL_MAX)
    return refuse(
      CODES.invalidRequest,
      `A call makes at most ${String(REQUESTS_OF_CALL_MAX)} requests of a kind.`,
    );
  const reason = method === 'elicitation/create' ? elicitationFault(params, context.ownHosts) : null;
  return reason === null ? { kind: 'relay', request } : refuse(CODES.invalidParams, reason);
}

function elicitationFault(params: JsonObject, ownHosts: readonly string[]): string | null {
  if (own(params, 'mode') !== 'url') return formFault(ownObject(params, 'requestedSchema'));
  const url = own(params, 'url');
  if (!isHttps(url)) return 'An elicitation in URL mode needs an https URL.';
  const { host, hostname, username, password } = new URL(String(url));
  if (username !== '' || password !== '') return 'The URL must not hold credentials.';
  return ownHosts.some((each) => each === host || each === hostname)
    ? 'The URL must not lead to this gateway.'
    : null;
}

const FIELDS_MAX = 50;
const SECRET_NAME =
  /passw(?:or)?d|passphrase|secret|api[-_ ]?key|private[-_ ]?key|(?:access|refresh|auth)[-_ ]?token|\b(?:cvv|cvc|ssn|pin|otp)\b|card[-_ ]?number|seed[-_ ]?phrase/i;

function formFault(schema: JsonObject): string | null {
  const fields = Object.entries(ownObject(schema, 'properties'));
  if (fields.length > FIELDS_MAX) return `A form has at most ${String(FIELDS_MAX)} fields.`;
  for (const [name, field] of fields) {
    if (!isObject(field)) return 'A field of a form must be a schema.';
    const isFlat = own(field, 'properties') === undefined && own(field, 'type') !== 'object';
    if (!isFlat) return 'A form must be flat.';
    const texts = [name, own(field, 'title'), own(field, 'format')];
    if (texts.some((text) => typeof text === 'string' && SECRET_NAME.test(text.slice(0, 256))))
      return 'A form must not ask for secrets; use URL mode.';
  }
  return null;
}
