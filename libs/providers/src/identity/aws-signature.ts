import { createHash, createHmac } from 'node:crypto';
import { GatewayError, type AwsCredentials } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { HeaderList } from '../provider';

export interface SignableRequest {
  readonly method: string;
  /** Value of the `host` header, with the port. */
  readonly host: string;
  /** Path and query of the request. */
  readonly path: string;
  /** Headers of the signed request, with lower-case names. */
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** Cached signing keys: one per day, secret, region and service. */
const KEYS_MAX = 1_000;
const signingKeys = new LRUCache<string, Buffer>({ max: KEYS_MAX });

/**
 * Appends `x-amz-date`, `x-amz-security-token` and `authorization`: AWS Signature Version 4, with
 * path segments encoded twice, so not for S3. The body and the `content-type` must not change
 * afterwards. `now`: Unix milliseconds. Throws `request_malformed` for a query that cannot be
 * decoded.
 */
export function signAwsRequest(
  request: SignableRequest,
  keys: AwsCredentials,
  { region, service, now }: { readonly region: string; readonly service: string; readonly now: number },
): void {
  const { headers } = request;
  const time = `${new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const day = time.slice(0, 8);
  headers.push('x-amz-date', time);
  if (keys.sessionToken !== null) headers.push('x-amz-security-token', keys.sessionToken);
  const signed = signedHeaders(request);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.path),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const signature = createHmac('sha256', signingKey(keys.secretAccessKey, day, region, service))
    .update(text)
    .digest('hex');
  headers.push(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  );
}

/** Headers that are signed in addition to the host, sorted by name. */
const SIGNED: ReadonlySet<string> = new Set(['content-type', 'x-amz-date', 'x-amz-security-token']);

function signedHeaders({ headers, host }: SignableRequest): readonly (readonly [string, string])[] {
  const found: [string, string][] = [['host', host]];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (SIGNED.has(name)) found.push([name, headers[i + 1] as string]);
  }
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * Returns the canonical path: without empty and dot segments, each segment encoded once more than
 * in the request.
 */
function canonicalPath(target: string): string {
  const [path = ''] = target.split('?', 1);
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(encoded(segment));
  }
  const end = kept.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${kept.join('/')}${end}`;
}

function canonicalQuery(path: string): string {
  const at = path.indexOf('?');
  if (at === -1 || at === path.length - 1) return '';
  return path
    .slice(at + 1)
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [encoded(decoded(name)), encoded(decoded(value.join('=')))] as const;
    })
    .sort(([name, value], [otherName, otherValue]) => byUnits(name, otherName) || byUnits(value, otherValue))
    .map((pair) => pair.join('='))
    .join('&');
}

const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new GatewayError('request_malformed', {
      param: 'query',
      message: 'The query has a broken percent-encoding; encode it as UTF-8, because it is signed.',
    });
  }
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function signingKey(secret: string, day: string, region: string, service: string): Buffer {
  // The cache key contains the secret, so that tenants with the same key id never share a signing
  // key.
  const name = [secret, day, region, service].join('\n');
  const cached = signingKeys.get(name);
  if (cached !== undefined) return cached;
  let key: string | Buffer = `AWS4${secret}`;
  for (const part of [day, region, service, 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  signingKeys.set(name, key as Buffer);
  return key as Buffer;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
