import { signAws, isObject } from '@gw/kernel';
import { objectsOf } from '../json';
import { URL_PARAMETER } from '../remote';
import type { PartnerDefinition } from './partner';

export const bedrockGuardrails: PartnerDefinition = {
  id: 'bedrock.guard',
  aliases: ['bedrock.guardrails'],
  doc: 'Amazon Bedrock Guardrails: a guardrail of your account, called with a Bedrock API key or access keys.',
  parameters: {
    guardrailId: {
      type: 'string',
      pattern: '^(?:[a-z0-9]{1,64}|arn:aws[a-z-]*:bedrock:[a-z0-9-]{1,20}:\\d{12}:guardrail/[a-z0-9]{1,64})$',
      description: 'must be the id or ARN of a guardrail',
    },
    guardrailVersion: {
      type: 'string',
      pattern: '^(?:[1-9]\\d{0,7}|DRAFT)$',
      description: 'must be a number or DRAFT',
      default: 'DRAFT',
    },
    region: {
      type: 'string',
      pattern: '^[a-z]{2}(?:-[a-z]{2,10}){1,3}-\\d$',
      description: 'must be a region such as eu-central-1',
    },
    apiKey: {
      type: 'string',
      minLength: 1,
      maxLength: 4_000,
      description: 'Bedrock API key; takes precedence over access keys.',
    },
    accessKeyId: { type: 'string', pattern: '^\\w{16,128}$', description: 'must be an access key id' },
    secretAccessKey: { type: 'string', minLength: 1, maxLength: 500 },
    sessionToken: { type: 'string', minLength: 1, maxLength: 8_000 },
    endpoint: {
      ...URL_PARAMETER,
      description: 'Endpoint of a private link; the region’s endpoint when absent.',
    },
  },
  required: ['guardrailId', 'region'],
  secrets: ['apiKey', 'secretAccessKey', 'sessionToken'],
  example: {
    guardrailId: 'abc123def456',
    guardrailVersion: '1',
    region: 'eu-central-1',
    apiKey: 'a-key-of-the-partner',
  },
  scope: ['last_message'],
  endpoint: 'https://bedrock-runtime.{region}.amazonaws.com',
  url: '{endpoint}/guardrail/{guardrailId}/version/{guardrailVersion}/apply',
  headers: { authorization: 'Bearer {apiKey}' },
  check({ apiKey, accessKeyId, secretAccessKey }, report) {
    const isWhole = apiKey !== undefined || (accessKeyId !== undefined && secretAccessKey !== undefined);
    if (!isWhole)
      report(['apiKey'], 'required', 'is required, or accessKeyId and secretAccessKey', undefined);
  },
  sign({ url, headers, body }, { apiKey, accessKeyId, secretAccessKey, sessionToken, region }, now) {
    if (apiKey !== undefined) return Promise.resolve(headers);
    return signAws(
      { method: 'POST', url: new URL(url), headers, body, region: String(region), service: 'bedrock' },
      {
        accessKeyId: String(accessKeyId),
        secretAccessKey: String(secretAccessKey),
        sessionToken: typeof sessionToken === 'string' ? sessionToken : null,
      },
      now,
    );
  },
  textLengthMax: 20_000,
  textsMax: 10,
  body: (texts, _, stage) => ({
    source: stage === 'input' ? 'INPUT' : 'OUTPUT',
    content: texts.map((text) => ({ text: { text } })),
  }),
  read(response) {
    if (!isObject(response) || typeof response['action'] !== 'string') return null;
    const policies = objectsOf(response['assessments']).flatMap((assessment) =>
      Object.keys(assessment).filter((key) => key.endsWith('Policy')),
    );
    return {
      flagged: response['action'] === 'GUARDRAIL_INTERVENED',
      data: { action: response['action'], policies: [...new Set(policies)] },
    };
  },
};
