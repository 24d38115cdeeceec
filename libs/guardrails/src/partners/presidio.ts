import { objectsOf } from '../json';
import { textList } from '../parameters';
import { URL_PARAMETER } from '../remote';
import type { PartnerDefinition } from './partner';

export const presidio: PartnerDefinition = {
  id: 'presidio.pii',
  aliases: ['presidio.analyze'],
  doc: 'Your own Presidio analyzer finds personal data; with `redact` it is replaced.',
  parameters: {
    endpoint: { ...URL_PARAMETER, description: 'URL of the analyzer: https://presidio.example.com' },
    apiKey: { type: 'string', minLength: 1, maxLength: 500 },
    language: {
      type: 'string',
      pattern: '^[a-z]{2}$',
      description: 'must be a code of two letters',
      default: 'en',
    },
    entities: textList(100, 100),
    scoreThreshold: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
    redact: { type: 'boolean', default: false },
  },
  required: ['endpoint'],
  secrets: ['apiKey'],
  example: { endpoint: 'https://presidio.example.com', language: 'en', entities: ['PERSON'], redact: true },
  scope: ['messages', 'tool_results'],
  url: '{endpoint}/analyze',
  headers: { authorization: 'Bearer {apiKey}' },
  textLengthMax: 50_000,
  textsMax: 1,
  body: ([text = ''], { language, entities, scoreThreshold }) => ({
    text,
    language,
    score_threshold: scoreThreshold,
    ...(entities === undefined ? {} : { entities }),
  }),
  read(response, { scoreThreshold }) {
    if (!Array.isArray(response)) return null;
    const places = objectsOf(response)
      .filter(({ score }) => Number(score) >= Number(scoreThreshold))
      .map((each) => ({
        start: Number(each['start']),
        end: Number(each['end']),
        label: String(each['entity_type']),
      }))
      .sort((a, b) => a.start - b.start || b.end - a.end);
    const entities = [...new Set(places.map(({ label }) => label))];
    return { flagged: places.length > 0, data: { entities, found: places.length }, places };
  },
};
