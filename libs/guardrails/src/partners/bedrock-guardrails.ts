import { isObject, objectsOf } from '../json';
import type { PartnerDefinition } from './partner';

export const bedrockGuardrails: PartnerDefinition = {
  id: 'bedrock.guard',
  aliases: ['bedrock.guardrails'],
  doc: 'Amazon Bedrock Guardrails, by a guardrail of your account and a Bedrock API key.',
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
    apiKey: { type: 'string', minLength: 1, maxLength: 4_000 },
  },
  required: ['guardrailId', 'region', 'apiKey'],
  secrets: ['apiKey'],
  example: { guardrailId: 'abc123def456', guardrailVersion: '1', region: 'eu-central-1', apiKey: '…' },
  scope: ['last_message'],
  url: 'https://bedrock-runtime.{region}.amazonaws.com/guardrail/{guardrailId}/version/{guardrailVersion}/apply',
  headers: { authorization: 'Bearer {apiKey}' },
  textLengthMax: 20_000,
  textsMax: 10,
  body: (texts, _, stage) => ({
    source: stage === 'input' ? 'INPUT' : 'OUTPUT',
    content: texts.map((text) => ({ text: { text } })),
  }),
  read(answer) {
    if (!isObject(answer) || typeof answer['action'] !== 'string') return null;
    const policies = objectsOf(answer['assessments']).flatMap((assessment) =>
      Object.keys(assessment).filter((key) => key.endsWith('Policy')),
    );
    return {
      flagged: answer['action'] === 'GUARDRAIL_INTERVENED',
      data: { action: answer['action'], policies: [...new Set(policies)] },
    };
  },
};
