import { isObject } from '@gw/kernel';
import { objectsOf } from '../json';
import { URL_PARAMETER } from '../remote';
import type { PartnerDefinition } from './partner';

export const lakera: PartnerDefinition = {
  id: 'lakera.guard',
  doc: 'Lakera Guard: prompt attacks, personal data, content and links, by the policy of a project.',
  parameters: {
    apiKey: { type: 'string', minLength: 1, maxLength: 500 },
    projectId: { type: 'string', minLength: 1, maxLength: 200 },
    endpoint: { ...URL_PARAMETER, default: 'https://api.lakera.ai' },
  },
  required: ['apiKey'],
  secrets: ['apiKey'],
  example: { apiKey: 'a-key-of-the-partner', projectId: 'project-1234' },
  scope: ['last_message'],
  url: '{endpoint}/v2/guard',
  headers: { authorization: 'Bearer {apiKey}' },
  textLengthMax: 100_000,
  // Lakera screens only the last interaction of a call, so each text has its own call.
  textsMax: 1,
  body: (texts, { projectId }, stage) => ({
    messages: texts.map((content) => ({ role: stage === 'input' ? 'user' : 'assistant', content })),
    breakdown: true,
    ...(projectId === undefined ? {} : { project_id: projectId }),
  }),
  read(response) {
    if (!isObject(response) || typeof response['flagged'] !== 'boolean') return null;
    const detectors = objectsOf(response['breakdown'])
      .filter((each) => each['detected'] === true)
      .map((each) => String(each['detector_type']));
    return { flagged: response['flagged'], data: { detectors: [...new Set(detectors)] } };
  },
};
