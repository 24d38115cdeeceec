import { AWS_REGION, isObject, VendorError } from '@gw/kernel';
import { signAwsRequest } from './aws-signature';

/** A complete request to a server at AWS. */
export interface AwsRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer | null;
}

const ACCESS_KEY_ID = /^\w{16,128}$/;
const SERVICE = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/**
 * Patterns of the members of `configurations.aws_sigv4` that are not secret, and their rules as
 * error messages state them.
 */
export const AWS_MEMBERS = {
  access_key_id: { pattern: ACCESS_KEY_ID, rule: 'must be the id of an access key of AWS' },
  region: { pattern: AWS_REGION, rule: 'must be the name of a region of AWS, such as us-east-1' },
  service: {
    pattern: SERVICE,
    rule: 'must be the name of a service of AWS in signatures, such as bedrock-agentcore',
  },
} as const;

/**
 * Returns the headers that sign a request with the key of `configurations.aws_sigv4` (AWS Signature
 * Version 4). They are valid for this method, URL and body only, for five minutes. `now`: Unix
 * milliseconds. Throws `VendorError` `invalid` without a complete key.
 */
export function awsRequestHeaders(
  configurations: Readonly<Record<string, unknown>>,
  secretAccessKey: string,
  { method, url, body }: AwsRequest,
  now: number,
): Readonly<Record<string, string>> {
  const { aws_sigv4: member } = configurations;
  const text = (name: keyof typeof AWS_MEMBERS): string => {
    const value = isObject(member) ? member[name] : undefined;
    if (typeof value === 'string' && AWS_MEMBERS[name].pattern.test(value)) return value;
    throw new VendorError('invalid', `${name} of aws_sigv4 ${AWS_MEMBERS[name].rule}.`);
  };
  if (secretAccessKey === '') throw new VendorError('invalid', 'aws_sigv4 has no secret_access_key.');
  const { host, pathname, search } = new URL(url);
  const headers: string[] = [];
  signAwsRequest(
    { method, host, path: `${pathname}${search}`, headers, body: body ?? Buffer.alloc(0) },
    { accessKeyId: text('access_key_id'), secretAccessKey, sessionToken: null },
    { region: text('region'), service: text('service'), now },
  );
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] as string]] : [])),
  );
}
