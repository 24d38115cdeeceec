import { asObject, asString, converseUsage } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { textField } from '../fields';
import { defineProvider, type Credential } from '../provider';
import { CodecTap, ledgerUsage } from '../stream/codec-tap';
import { providerCodec } from '../translation/hub-translator';
import { translatedRoutes } from '../translation/translated-routes';
import { signAwsRequest, type AwsKeys } from './aws-signature';

const ID = 'bedrock';
const SERVICE = 'bedrock';
/** One label of a host name: anything else would choose another host. */
const REGION = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the region, which is part of the host name and of the signature. */
function regionOf({ configurations }: Credential): string {
  const region = asString(configurations['aws_region']);
  if (region !== null && REGION.test(region)) return region;
  throw new GatewayError('validation_failed', {
    param: 'aws_region',
    message: 'aws_region must be the name of a region of AWS, such as us-east-1.',
  });
}

/** Whether the key is a Bedrock API key, sent as a bearer token. */
const hasApiKey = ({ apiKey, configurations }: Credential): boolean =>
  configurations['aws_auth_type'] === 'apiKey' ||
  (configurations['aws_auth_type'] === undefined &&
    configurations['aws_access_key_id'] === undefined &&
    apiKey !== null);

function keysOf({ configurations }: Credential): AwsKeys {
  const accessKeyId = asString(configurations['aws_access_key_id']);
  const secretAccessKey = asString(configurations['aws_secret_access_key']);
  const missing = accessKeyId === null ? 'aws_access_key_id' : 'aws_secret_access_key';
  if (accessKeyId === null || secretAccessKey === null) {
    throw new GatewayError('validation_failed', {
      param: missing,
      message: `Amazon Bedrock requires ${missing}, or a Bedrock API key with aws_auth_type apiKey.`,
    });
  }
  return { accessKeyId, secretAccessKey, sessionToken: asString(configurations['aws_session_token']) };
}

/** Amazon Bedrock by its Converse API, which has all chat models. Passthrough reaches its other operations, signed too. */
export const bedrock = defineProvider({
  id: ID,
  aliases: ['aws-bedrock'],
  name: 'Amazon Bedrock',
  baseUrl(credential) {
    const region = regionOf(credential);
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return `https://bedrock-runtime.${region}.${domain}`;
  },
  credentialHeaders: ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'],
  needsCredential: false,
  betaHeader: null,
  sign(headers, credential) {
    if (hasApiKey(credential) && credential.apiKey !== null)
      headers.push('authorization', `Bearer ${credential.apiKey}`);
  },
  signRequest(request, credential, now) {
    if (hasApiKey(credential)) return;
    signAwsRequest(request, keysOf(credential), { region: regionOf(credential), service: SERVICE, now });
  },
  routes: {
    ...translatedRoutes({ provider: ID, to: 'bedrock-converse' }),
    passthrough: { via: 'native', prefix: '' },
  },
  usage(body) {
    const usage = converseUsage(body['usage']);
    return usage === undefined ? null : ledgerUsage(usage);
  },
  tap: () => new CodecTap(ID, providerCodec('bedrock-converse')),
  error(body) {
    const message = asString(body['message']) ?? asString(body['Message']);
    const type = asString(body['__type']) ?? asString(asObject(body['error'])?.['type']);
    return message === null && type === null
      ? null
      : { message: message ?? 'The provider failed.', type, code: null };
  },
  priceCatalogueId: 'aws',
  fields: [
    textField('aws_region', { kind: 'label', required: true, maxLength: 63 }),
    textField('aws_auth_type', { values: ['accessKey', 'apiKey'] }),
    textField('aws_access_key_id', { maxLength: 128 }),
    textField('aws_secret_access_key', { secret: true, maxLength: 256 }),
    textField('aws_session_token', { secret: true }),
  ],
  telemetryName: 'aws.bedrock',
});
