import type { CloudIdentity, ConfigurationField } from '@gw/contracts';
import { asString } from '@gw/dialects';
import { AWS_REGION, GatewayError, type AwsCredentials } from '@gw/kernel';
import { textField } from '../fields';
import { neededText, workloadFields, workloadTokenOf } from './identity';
import type { Credential, HeaderList } from '../provider';
import { signAwsRequest, type SignableRequest } from './aws-signature';

const WIF = { field: 'aws_auth_type', oneOf: ['wif'] } as const;
const OF_INSTALLATION = ['assumedRole', 'serviceRole', 'wif'] as const;

/** Fields of integrations of providers at AWS: the region, and how calls authenticate. */
export const AWS_FIELDS: readonly ConfigurationField[] = [
  textField('aws_region', { kind: 'label', required: true, maxLength: 63, staysAtProvider: true }),
  textField('aws_auth_type', {
    values: ['accessKey', 'apiKey', ...OF_INSTALLATION],
    keyless: OF_INSTALLATION,
    ofInstallation: OF_INSTALLATION,
  }),
  textField('aws_access_key_id', { maxLength: 128 }),
  textField('aws_secret_access_key', { secret: true, maxLength: 256 }),
  textField('aws_session_token', { secret: true }),
  textField('aws_role_arn', { required: { field: 'aws_auth_type', oneOf: ['assumedRole', 'wif'] } }),
  ...workloadFields(WIF),
];

/** Headers of a signature, which are removed from callers' requests. */
export const SIGNATURE_HEADERS = ['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'] as const;

/**
 * Returns the region, which is part of the host name and of the signature. Throws
 * `validation_failed`.
 */
export function regionOf({ configurations }: Credential): string {
  const region = asString(configurations['aws_region']);
  if (region !== null && AWS_REGION.test(region)) return region;
  throw new GatewayError('validation_failed', {
    param: 'aws_region',
    message: 'aws_region must be the name of a region of AWS, such as us-east-1.',
  });
}

/** Whether the credential is an API key that is sent unchanged instead of a signature. */
const hasApiKey = ({ apiKey, configurations }: Credential): boolean =>
  configurations['aws_auth_type'] === 'apiKey' ||
  (configurations['aws_auth_type'] === undefined &&
    configurations['aws_access_key_id'] === undefined &&
    apiKey !== null);

/** Returns the identity for `aws_auth_type`; null for keys of the integration. */
export function awsIdentity(credential: Credential): CloudIdentity | null {
  const region = (): string => regionOf(credential);
  const roleArn = (): string => neededText(credential, 'aws_role_arn');
  switch (credential.configurations['aws_auth_type']) {
    case 'assumedRole':
      return { kind: 'aws_role', region: region(), roleArn: roleArn() };
    case 'serviceRole':
      return { kind: 'aws_own', region: region() };
    case 'wif':
      return {
        kind: 'aws_workload',
        region: region(),
        roleArn: roleArn(),
        token: workloadTokenOf(credential),
      };
    default:
      return null;
  }
}

/** Appends the API key of a credential that is sent unchanged. */
export function signAwsKey(headers: HeaderList, credential: Credential): void {
  if (hasApiKey(credential) && credential.apiKey !== null)
    headers.push('authorization', `Bearer ${credential.apiKey}`);
}

/** Signs a request for a service of AWS, unless the credential is a key. */
export function signForAws(
  request: SignableRequest,
  credential: Credential,
  { service, now }: { readonly service: string; readonly now: number },
): void {
  if (hasApiKey(credential) || credential.issued?.kind === 'bearer') return;
  signAwsRequest(request, keysOf(credential), { region: regionOf(credential), service, now });
}

function keysOf({ configurations, issued }: Credential): AwsCredentials {
  if (issued?.kind === 'aws') return issued.keys;
  const accessKeyId = asString(configurations['aws_access_key_id']);
  const secretAccessKey = asString(configurations['aws_secret_access_key']);
  const missing = accessKeyId === null ? 'aws_access_key_id' : 'aws_secret_access_key';
  if (accessKeyId === null || secretAccessKey === null) {
    throw new GatewayError('validation_failed', {
      param: missing,
      message: `The provider requires ${missing}, or a key with aws_auth_type apiKey.`,
    });
  }
  return { accessKeyId, secretAccessKey, sessionToken: asString(configurations['aws_session_token']) };
}
