import { createHash, createHmac } from 'node:crypto';

import type { RecordedRequest } from './stub-provider';

/** Secrets by key id, with the required session token if there is one. */
export type AwsKeys = Readonly<Record<string, { readonly secret: string; readonly token?: string }>>;

const CLOCK_DIFFERENCE_MAX_MS = 300_000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/**
 * Verifies the AWS Signature Version 4 of a received request, independently of the package that
 * signs.
 */
export function isAwsSigned(request: RecordedRequest, service: string, keys: AwsKeys): boolean {
  const { headers } = request;
  const parts = AUTHORIZATION.exec(String(headers['authorization']));
  if (!parts || !isFresh(headers['x-amz-date'])) return false;
  const [keyId, day, region, named, list, signature] = parts.slice(1) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const credential = keys[keyId];
  if (credential === undefined || named !== service) return false;
  if (credential.token !== undefined && headers['x-amz-security-token'] !== credential.token) return false;
  const signed = list.split(';');
  if (!signed.includes('host') || !signed.includes('x-amz-date')) return false;
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonicalOf(request, list))}`;
  let key: Buffer | string = `AWS4${credential.secret}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}

function isFresh(time: unknown): boolean {
  const sentAt = Date.parse(String(time).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  return Math.abs(Date.now() - sentAt) < CLOCK_DIFFERENCE_MAX_MS;
}

function canonicalOf({ method, url, headers, body }: RecordedRequest, list: string): string {
  const lines = list.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const [path = '/', query = ''] = url.split('?');
  const sorted = query === '' ? '' : query.split('&').sort().join('&');
  // Every service except S3 encodes the path of the URL once more.
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${method}\n${encoded}\n${sorted}\n${lines.join('')}\n${list}\n${sha256(body)}`;
}
