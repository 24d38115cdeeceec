import { isObject } from '@gw/kernel';
import { listOf, objectsOf } from '../json';
import { textList } from '../parameters';
import { URL_PARAMETER } from '../remote';
import type { PartnerDefinition } from './partner';

/** Parameters of every check of the service. */
export const AZURE_PARAMETERS = {
  endpoint: {
    ...URL_PARAMETER,
    description: 'Endpoint of the resource: https://<name>.cognitiveservices.azure.com',
  },
  apiKey: { type: 'string', minLength: 1, maxLength: 500 },
  apiVersion: {
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}(?:-preview)?$',
    description: 'must be a version such as 2024-09-01',
    default: '2024-09-01',
  },
} as const;

/**
 * Returns the members of a partner definition that describe calls of one operation of the service.
 */
export const azureCall = (operation: string) => ({
  required: ['endpoint', 'apiKey'],
  secrets: ['apiKey'],
  url: `{endpoint}/contentsafety/${operation}?api-version={apiVersion}`,
  headers: { 'ocp-apim-subscription-key': '{apiKey}' },
});

export const azureContentSafety: PartnerDefinition = {
  id: 'azure.contentSafety',
  doc: 'Azure AI Content Safety: hate, sexual content, self-harm and violence by severity, and your blocklists.',
  parameters: {
    ...AZURE_PARAMETERS,
    categories: {
      type: 'array',
      items: { enum: ['Hate', 'Sexual', 'SelfHarm', 'Violence'] },
      minItems: 1,
      maxItems: 4,
      default: ['Hate', 'Sexual', 'SelfHarm', 'Violence'],
    },
    severity: {
      type: 'integer',
      minimum: 1,
      maximum: 7,
      default: 2,
      description: 'Minimum severity of a failing text.',
    },
    blocklistNames: textList(20, 64),
  },
  ...azureCall('text:analyze'),
  example: {
    endpoint: 'https://safety.cognitiveservices.azure.com',
    apiKey: 'a-key-of-the-partner',
    severity: 4,
  },
  scope: ['last_message'],
  textLengthMax: 10_000,
  textsMax: 1,
  body: ([text = ''], { categories, blocklistNames }) => ({
    text,
    categories,
    outputType: 'EightSeverityLevels',
    ...(blocklistNames === undefined ? {} : { blocklistNames }),
  }),
  read(response, { severity }) {
    if (!isObject(response) || !Array.isArray(response['categoriesAnalysis'])) return null;
    const severities = objectsOf(response['categoriesAnalysis']).map(
      (each) => [String(each['category']), Number(each['severity'] ?? 0)] as const,
    );
    const blocked = listOf(response['blocklistsMatch']).length;
    const flagged = blocked > 0 || severities.some(([, each]) => each >= Number(severity));
    return { flagged, data: { severities: Object.fromEntries(severities), blocklistMatches: blocked } };
  },
};
