import { createRequire } from 'node:module';

/** Matches a region of AWS: one label of a host name. Another text could select another host. */
export const AWS_REGION = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Keys that sign requests to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Null for keys that do not expire. */
  readonly sessionToken: string | null;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
}

/**
 * Loads the packages with the first signature. They take 14 MB, and most processes never sign a
 * request.
 */
const requireLazily = createRequire(__filename);
type Signature = typeof import('@smithy/signature-v4');
type Checksum = typeof import('@smithy/core/checksum');

/**
 * Returns the headers of the request with its signature (AWS Signature Version 4). Not for S3,
 * which encodes paths once.
 */
export async function signAws(
  { method, url, headers, body, region, service }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: Date,
): Promise<Record<string, string>> {
  const { SignatureV4 } = requireLazily('@smithy/signature-v4') as Signature;
  const { Sha256 } = requireLazily('@smithy/core/checksum') as Checksum;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) },
    region,
    service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body,
  };
  const signed = await signer.sign(request, { signingDate: now });
  const { host: _host, ...sent } = signed.headers;
  return sent;
}
