import { isObject } from '@gw/kernel';
import { CODES } from '../fault';
import type { ClientCapabilities } from '../http/client-capabilities';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject, type RpcError } from '../rpc/message';
import type { InputRequest } from '../sealed/request-state';
import { formFault } from './form-fault';
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
  return own(params, 'mode') === 'url'
    ? pageFault(own(params, 'url'), ownHosts)
    : formFault(ownObject(params, 'requestedSchema'));
}

/** Returns why no upstream may send users to a page; null when it may. */
function pageFault(url: unknown, ownHosts: readonly string[]): string | null {
  if (!isHttps(url)) return 'An elicitation in URL mode needs an https URL.';
  const { hostname, port, username, password } = new URL(String(url));
  if (username !== '' || password !== '') return 'The URL must not hold credentials.';
  // A final dot names the same host.
  const name = hostname.replace(/\.$/, '');
  return ownHosts.some((each) => each === name || each === `${name}:${port}`)
    ? 'The URL must not lead to this gateway.'
    : null;
}

/**
 * Returns an upstream's error for a legacy client. An error that sends the user to a page to which
 * no upstream may send users is replaced.
 */
export function toLegacyError(error: RpcError, ownHosts: readonly string[]): RpcError {
  if (error.code !== CODES.urlElicitation) return error;
  const entries = isObject(error.data) ? ownList(error.data, 'elicitations') : [];
  const isAllowed =
    entries.length > 0 &&
    entries.every((entry) => isObject(entry) && pageFault(own(entry, 'url'), ownHosts) === null);
  return isAllowed
    ? error
    : {
        code: CODES.internal,
        message:
          'The server needs the user to open a page that is not allowed; ask its administrator for another.',
      };
}
