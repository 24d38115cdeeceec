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
import { openAiUsage } from '../dialects/openai/usage';
import { defineProvider, type JsonObject, type Provider } from '../provider';
import { InvokeTap, invokeRoutes, isClaude } from './invoke-claude';
import { CodecTap, ledgerUsage } from '../stream/codec-tap';
import { providerCodec } from '../translation/hub-translator';
import { familyRoutes } from '../translation/family-routes';
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

/** Wire formats of InvokeModel, by a part of the model's name. */
const EMBEDDINGS = [
  ['amazon.titan-embed', 'bedrock-titan'],
  ['amazon.nova', 'bedrock-nova'],
  ['cohere.embed', 'bedrock-cohere'],
] as const;
const IMAGES = [
  ['amazon.nova-canvas', 'bedrock-canvas'],
  ['amazon.titan-image', 'bedrock-canvas'],
  ['stability.', 'bedrock-stability'],
] as const;

const formAmong =
  (forms: readonly (readonly [part: string, form: string])[]) =>
  (model: string): string | null =>
    forms.find(([part]) => model.includes(part))?.[1] ?? null;

const routes = {
  ...familyRoutes(ID, { embeddings: formAmong(EMBEDDINGS), images: formAmong(IMAGES) }),
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
    if (usage !== undefined) return ledgerUsage(usage);
    const tokens = body['inputTextTokenCount'];
    return typeof tokens === 'number' ? openAiUsage({ usage: { prompt_tokens: tokens } }) : null;
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
