import { asObject, asString, converseUsage } from '@gw/dialects';
import {
  AWS_FIELDS,
  awsIdentity,
  regionOf,
  SIGNATURE_HEADERS,
  signAwsKey,
  signForAws,
} from '../identity/aws';
import { anthropicUsage } from '../dialects/anthropic/usage';
import { defineProvider, type JsonObject, type Provider } from '../provider';
import { InvokeTap, invokeRoutes, isClaude } from './invoke-claude';
import { CodecTap, ledgerUsage } from '../stream/codec-tap';
import { providerCodec } from '../translation/hub-translator';
import { translatedRoutes } from '../translation/translated-routes';

const ID = 'bedrock';
const SERVICE = 'bedrock';
const common = {
  id: ID,
  name: 'Amazon Bedrock',
  baseUrl(credential) {
    const region = regionOf(credential);
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return `https://bedrock-runtime.${region}.${domain}`;
  },
  credentialHeaders: ['authorization', ...SIGNATURE_HEADERS],
  needsCredential: false,
  betaHeader: null,
  sign: signAwsKey,
  identity: awsIdentity,
  signRequest: (request, credential, now) => signForAws(request, credential, { service: SERVICE, now }),
  error(body) {
    const message = asString(body['message']) ?? asString(body['Message']);
    const type = asString(body['__type']) ?? asString(asObject(body['error'])?.['type']);
    return message === null && type === null
      ? null
      : { message: message ?? 'The provider failed.', type, code: null };
  },
  priceCatalogueId: 'aws',
  telemetryName: 'aws.bedrock',
} as const satisfies Partial<Provider>;

const routes = {
  ...translatedRoutes({ provider: ID, to: 'bedrock-converse' }),
  passthrough: { via: 'native', prefix: '' },
} as const;

/** Claude by InvokeModel, which takes bodies of the Messages API. */
const invoked = defineProvider({
  ...common,
  usage: anthropicUsage,
  tap: () => new InvokeTap(),
  routes: { ...routes, ...invokeRoutes(ID) },
});
const asInvoked = { provider: invoked, atCustomHost: true } as const;

const converse = {
  ...common,
  aliases: ['aws-bedrock'],
  fields: AWS_FIELDS,
  routes,
  usage(body: JsonObject) {
    const usage = converseUsage(body['usage']);
    return usage === undefined ? null : ledgerUsage(usage);
  },
  tap: () => new CodecTap(ID, providerCodec('bedrock-converse')),
} as const;

const claude = defineProvider({
  ...converse,
  variants: { messages: asInvoked, 'messages.count_tokens': asInvoked },
});

/**
 * Amazon Bedrock: all chat models by its Converse API, Claude for clients of the Messages API by
 * InvokeModel. Passthrough reaches its other operations, signed too.
 */
export const bedrock = defineProvider({
  ...converse,
  forCall: ({ model }) => (model !== null && isClaude(model) ? claude : undefined),
});
