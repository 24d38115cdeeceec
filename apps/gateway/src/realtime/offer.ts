import type { IncomingMessage } from 'node:http';
import { GatewayError, isToken } from '@gw/kernel';

/** The offer of a client in a WebSocket handshake. */
export interface Offer {
  /** Subprotocols in the client's order, without those that carry a key. */
  readonly protocols: readonly string[];
  /** The API key of a client that cannot set headers, such as a browser. */
  readonly apiKey: string | null;
}

const KEY_PROTOCOL = 'openai-insecure-api-key.';
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Whether the request is a WebSocket upgrade in the sense of RFC 6455. Other upgrade requests are
 * served as if they had not requested an upgrade.
 */
export const requestsWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(headers.upgrade);

/**
 * Checks a handshake by RFC 6455 section 4.2.1. Throws `method_not_allowed`, `upgrade_required` for
 * another version, or `request_malformed`, also for a request with a body or an absolute-form
 * target, which is only for proxies.
 */
export function readOffer(req: IncomingMessage): Offer {
  const { headers } = req;
  if (req.method !== 'GET') throw new GatewayError('method_not_allowed', { headers: { allow: 'GET' } });
  if (!(req.url ?? '').startsWith('/')) throw malformed('the request target must be a path');
  if (!/^websocket$/i.test(headers.upgrade ?? '')) throw malformed('Upgrade must be websocket');
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
    throw malformed('it must have no body');
  if (headers['sec-websocket-version'] !== '13')
    throw new GatewayError('upgrade_required', {
      message: 'The WebSocket version must be 13.',
      headers: { 'sec-websocket-version': '13', upgrade: 'websocket' },
    });
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) throw malformed('Sec-WebSocket-Key is not valid');
  return offerOf(headers['sec-websocket-protocol']);
}

function offerOf(header: string | undefined): Offer {
  if (header === undefined) return NOTHING;
  const offered = header.split(',').map((name) => name.trim());
  if (!offered.every(isToken) || new Set(offered).size < offered.length)
    throw malformed('Sec-WebSocket-Protocol is not valid');
  const isKey = (name: string): boolean => name.startsWith(KEY_PROTOCOL);
  return {
    protocols: offered.filter((name) => !isKey(name)),
    apiKey: offered.find(isKey)?.slice(KEY_PROTOCOL.length) ?? null,
  };
}

const NOTHING: Offer = { protocols: [], apiKey: null };

const malformed = (rule: string): GatewayError =>
  new GatewayError('request_malformed', { message: `The WebSocket handshake is not valid: ${rule}.` });
