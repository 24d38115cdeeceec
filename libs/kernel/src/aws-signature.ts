import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The path as it is signed: the segments that are sent, encoded once more. Only S3 does without.
 */
const canonicalPath = ({ pathname }: URL): string => pathname.split('/').map(encoded).join('/');

const encoded = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The headers of the request with its signature (AWS Signature Version 4). The URL must have no query. */
export function signAws(
  { method, url, headers, body, region, service }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const signedHeaders = names.join(';');
  const canonical = [
    method,
    canonicalPath(url),
    '',
    ...names.map((name) => `${name}:${(all[name] as string).trim()}`),
    '',
    signedHeaders,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (from, part) => hmac(from, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const { host: _host, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
  };
}
