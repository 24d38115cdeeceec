import type { IncomingMessage } from 'node:http';
import { mayNotBeForwarded } from '@gw/config-schema';
import { readCacheControls } from '@gw/cache';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { headerText } from './header-text';
import { adoptPortkeyHeaders } from './portkey-headers';
import type { RequestContext, GatewayHeaders, Stage } from '../core/request-context';
import { METADATA_PAIRS_MAX, METADATA_VALUE_MAX, withBaggage } from './baggage';
import { readTrace } from './trace-context';

/** Reads the gateway's own headers. Reads no body: the caller is not authenticated yet. */
export class AcceptStage implements Stage {
  run(context: RequestContext): void {
    const offered = context.upgrade?.offer.apiKey ?? null;
    context.gw = readGatewayHeaders(context.req, offered, context.queryKey);
    readTrace(context);
    const metadata = context.req.headers[HEADER.metadata];
    if (metadata !== undefined) context.metadata = readMetadata(headerText(metadata as string));
    const { baggage } = context.req.headers;
    if (typeof baggage === 'string') context.metadata = withBaggage(headerText(baggage), context.metadata);
  }
}

/**
 * `offered`: the key that a WebSocket client sends as a subprotocol because it cannot set headers;
 * it replaces a bearer token. `inQuery`: the key that a Gemini client sent in its query.
 */
function readGatewayHeaders(
  req: IncomingMessage,
  offered: string | null,
  inQuery: string | null,
): GatewayHeaders {
  const { headers } = req;
  const isOfPortkey = adoptPortkeyHeaders(headers);
  return {
    ...credentialsIn(headers, offered, inQuery),
    isOfPortkey,
    provider: textOf(headers[HEADER.provider]),
    virtualKey: textOf(headers[HEADER.virtualKey]),
    config: textOf(headers[HEADER.config]),
    customHost: one(headers[HEADER.customHost]),
    forwardHeaders: forwardedNames(headers[HEADER.forwardHeaders]),
    requestTimeoutMs: timeoutOf(headers[HEADER.requestTimeout]),
    strictOpenAi: strictnessOf(headers[HEADER.strictOpenAi]),
    modelsEndpoint: (headers[HEADER.modelsEndpoint] ?? 'false') !== 'false',
    explain: headers[HEADER.explain] === '1' || headers[HEADER.explain] === 'true',
    logBodies: headers[HEADER.debug] !== 'false',
    cache: readCacheControls(
      textOf(headers[HEADER.cacheNamespace]) ?? undefined,
      headers[HEADER.cacheForceRefresh] as string | undefined,
      headers['cache-control'],
    ),
  };
}

/**
 * Returns the caller's credential for the gateway, its DPoP proof, and the caller's key for the
 * provider.
 */
function credentialsIn(
  headers: IncomingMessage['headers'],
  offered: string | null,
  inQuery: string | null,
): Pick<GatewayHeaders, 'apiKey' | 'proof' | 'providerKey'> {
  const named = one(headers[HEADER.apiKey]);
  const bearer = textAfter('bearer', headers.authorization) ?? offered;
  const bound = named === null && bearer === null ? textAfter('dpop', headers.authorization) : null;
  const other = one(headers['x-api-key']) ?? one(headers['x-goog-api-key']) ?? inQuery;
  const apiKey = named ?? bearer ?? bound ?? other;
  return {
    apiKey,
    proof: bound === null ? null : (one(headers['dpop']) ?? ''),
    providerKey: providerKeyOf(named, apiKey, bearer, other ?? one(headers['api-key'])),
  };
}

/**
 * Returns the caller's provider key. The gateway key is never returned, whichever header it was
 * sent in.
 */
function providerKeyOf(
  named: string | null,
  apiKey: string | null,
  bearer: string | null,
  other: string | null,
): string | null {
  if (named === null) return other !== null && other !== apiKey ? other : null;
  if (bearer !== null && bearer !== named) return bearer;
  return other !== null && other !== named ? other : null;
}

const one = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;

/** Returns the text of a header that may contain non-ASCII text; null when it was not sent. */
function textOf(value: string | string[] | undefined): string | null {
  const raw = one(value);
  return raw === null ? null : headerText(raw);
}

/** Returns the credential of an authorization scheme. `scheme` is in lower case. */
function textAfter(scheme: 'bearer' | 'dpop', authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const { length } = scheme;
  const isOf = authorization.slice(0, length + 1).toLowerCase() === `${scheme} `;
  return isOf ? authorization.slice(length + 1).trim() : null;
}

/**
 * Returns the header names of `x-gw-forward-headers`. Throws `header_invalid` for a name that a
 * config may not forward either.
 */
function forwardedNames(value: string | string[] | undefined): readonly string[] | null {
  const text = one(value);
  if (text === null) return null;
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const forbidden = names.find(mayNotBeForwarded);
  if (forbidden === undefined) return names;
  throw new GatewayError('header_invalid', {
    param: HEADER.forwardHeaders,
    message: `${HEADER.forwardHeaders} names a header that may not be forwarded.`,
    extra: { header: forbidden.slice(0, 64) },
  });
}

function timeoutOf(value: string | string[] | undefined): number | null {
  const text = one(value);
  if (text === null) return null;
  const timeoutMs = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (timeoutMs < 1 || timeoutMs > 3_600_000) {
    throw new GatewayError('header_invalid', {
      param: HEADER.requestTimeout,
      message: `${HEADER.requestTimeout} must be a whole number of milliseconds from 1 to 3600000.`,
    });
  }
  return timeoutMs;
}

function strictnessOf(value: string | string[] | undefined): boolean | null {
  const text = one(value);
  if (text === null) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new GatewayError('header_invalid', {
    param: HEADER.strictOpenAi,
    message: `${HEADER.strictOpenAi} must be true or false.`,
  });
}

/**
 * Parses metadata: a flat JSON object of strings, numbers and booleans. Throws `header_invalid`.
 */
function readMetadata(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw metadataInvalid('must be a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw metadataInvalid('must be a JSON object');
  const entries = Object.entries(value);
  if (entries.length > METADATA_PAIRS_MAX)
    throw metadataInvalid(`must have at most ${String(METADATA_PAIRS_MAX)} pairs`);
  const metadata = Object.create(null) as Record<string, string>;
  for (const [key, item] of entries) {
    if (typeof item === 'object' && item !== null)
      throw metadataInvalid('must hold only strings, numbers and booleans');
    const plain = String(item as string | number | boolean | null);
    if (plain.length > METADATA_VALUE_MAX)
      throw metadataInvalid(`values must have at most ${String(METADATA_VALUE_MAX)} characters`);
    metadata[key] = plain;
  }
  return metadata;
}

const metadataInvalid = (rule: string): GatewayError =>
  new GatewayError('header_invalid', { param: HEADER.metadata, message: `${HEADER.metadata} ${rule}.` });
