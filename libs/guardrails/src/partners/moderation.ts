import { isObject } from '@gw/kernel';
import { objectsOf, type JsonObject } from '../json';
import { textList } from '../parameters';
import { URL_PARAMETER } from '../remote';
import type { PartnerDefinition, PartnerVerdict } from './partner';

/** Parameters of every moderation check. */
export const MODERATION_PARAMETERS = {
  categories: { ...textList(50, 100), description: 'Categories that count; all when absent.' },
  threshold: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Minimum score of a failing category; the service decides when absent.',
  },
};

const common = { apiKey: { type: 'string', minLength: 1, maxLength: 500 }, ...MODERATION_PARAMETERS };

export const openaiModeration: PartnerDefinition = {
  id: 'openai.moderation',
  doc: 'OpenAI’s moderation route, or a compatible one.',
  parameters: {
    ...common,
    model: { type: 'string', minLength: 1, maxLength: 100, default: 'omni-moderation-latest' },
    endpoint: { ...URL_PARAMETER, default: 'https://api.openai.com' },
  },
  required: ['apiKey'],
  secrets: ['apiKey'],
  example: { apiKey: 'a-key-of-the-partner', categories: ['violence', 'hate'], threshold: 0.5 },
  scope: ['last_message'],
  url: '{endpoint}/v1/moderations',
  headers: { authorization: 'Bearer {apiKey}' },
  textLengthMax: 20_000,
  textsMax: 32,
  body: (input, { model }) => ({ model, input }),
  read: moderationVerdict,
};

export const mistralModeration: PartnerDefinition = {
  id: 'mistral.moderateContent',
  aliases: ['mistral.moderation'],
  doc: 'Mistral’s moderation route.',
  parameters: {
    ...common,
    model: { type: 'string', minLength: 1, maxLength: 100, default: 'mistral-moderation-2603' },
    endpoint: { ...URL_PARAMETER, default: 'https://api.mistral.ai' },
  },
  required: ['apiKey'],
  secrets: ['apiKey'],
  example: { apiKey: 'a-key-of-the-partner', categories: ['violence_and_threats'] },
  scope: ['last_message'],
  url: '{endpoint}/v1/moderations',
  headers: { authorization: 'Bearer {apiKey}' },
  textLengthMax: 20_000,
  textsMax: 32,
  body: (input, { model }) => ({ model, input }),
  read: moderationVerdict,
};

/**
 * Returns the verdict of a moderation response; null when it has no results. Only the given
 * categories count. A threshold of the score replaces the service's own flag of a category that has
 * a score.
 */
export function moderationVerdict(
  response: unknown,
  { categories, threshold }: JsonObject,
): PartnerVerdict | null {
  if (!isObject(response) || !Array.isArray(response['results']) || response['results'].length === 0)
    return null;
  const counts = (name: string) => !Array.isArray(categories) || categories.includes(name);
  const names = new Set<string>();
  for (const result of objectsOf(response['results'])) {
    const flags = isObject(result['categories']) ? result['categories'] : {};
    const scores = isObject(result['category_scores']) ? result['category_scores'] : {};
    for (const name of Object.keys({ ...flags, ...scores })) {
      const score = scores[name];
      const fails =
        typeof threshold === 'number' && typeof score === 'number'
          ? score >= threshold
          : flags[name] === true;
      if (fails && counts(name)) names.add(name);
    }
  }
  return { flagged: names.size > 0, data: { categories: [...names] } };
}
