import { createAddressPolicy } from '@gw/kernel';
import { gzipSync } from 'node:zlib';
import { CARD_BOUNDS, CardFetch, type AgentCard, type CardRequest, type CardResponse } from '../index';

/** Behaviour of a card server of the vectors. */
export interface CardServer {
  readonly endpoint?: string;
  readonly authType?: string;
  readonly authHeader?: string;
  readonly authToken?: string;
  readonly answer?: unknown;
  /** Whether `answer` is the body itself. */
  readonly raw?: boolean;
  readonly status?: number;
  readonly redirect?: string;
  readonly padTo?: number;
  readonly gzipPadTo?: number;
  /** Another response for one path. */
  readonly then?: { readonly path: string; readonly answer: unknown };
}

/** Returns JSON of a card with a member of spaces, so that it has `bytes` bytes. */
function padded(answer: unknown, bytes: number): string {
  const length = Buffer.byteLength(JSON.stringify({ ...(answer as object), x: '' }));
  return JSON.stringify({ ...(answer as object), x: ' '.repeat(bytes - length) });
}

const received = (body: Buffer): Buffer => body.subarray(0, CARD_BOUNDS.bytesMax + 1);

const response = (more: Partial<CardResponse>): CardResponse => ({
  status: 200,
  location: null,
  contentEncoding: null,
  body: Buffer.alloc(0),
  ...more,
});

/** Returns the response of a card server to one request of a fetch. */
export function responseOf(server: CardServer, { url }: CardRequest): CardResponse {
  const { answer, status, redirect, gzipPadTo, then } = server;
  if (then !== undefined && url.pathname === then.path)
    return response({ body: Buffer.from(JSON.stringify(then.answer)) });
  // A redirect that leads to no card never ends.
  if (redirect !== undefined && (url.href !== redirect || answer === undefined))
    return response({ status: 302, location: redirect });
  if (status !== undefined && status !== 200) return response({ status });
  if (gzipPadTo !== undefined)
    return response({
      contentEncoding: 'gzip',
      body: received(gzipSync(padded(answer, gzipPadTo), { level: 1 })),
    });
  if (answer === undefined) return response({});
  return response({ body: received(Buffer.from(bodyOf(server))) });
}

function bodyOf({ answer, raw, padTo }: CardServer): string {
  if (raw === true && typeof answer === 'string') return answer;
  return padTo === undefined ? JSON.stringify(answer) : padded(answer, padTo);
}

/** Maximum number of requests of a fetch: two paths and three redirects. */
const REQUESTS_MAX = 5;

/** Fetches a card from a card server. Returns the card and the requests in their order. */
export function fetched(server: CardServer): {
  readonly card: AgentCard;
  readonly requests: readonly CardRequest[];
} {
  const { endpoint, authType, authHeader, authToken } = server;
  const fetch = new CardFetch({
    policy: createAddressPolicy({ trustedHosts: [] }),
    endpoint: endpoint as string,
    credential: { authType, authHeader, authToken },
  });
  const requests = [fetch.start()];
  while (requests.length <= REQUESTS_MAX) {
    const step = fetch.next(responseOf(server, requests.at(-1) as CardRequest));
    if (step.kind === 'card') return { card: step.card, requests };
    requests.push(step.request);
  }
  throw new Error('The fetch does not end.');
}
