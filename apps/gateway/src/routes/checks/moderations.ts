import { isObject } from '@gw/kernel';
import { documented, list, named, object, rule, text } from './rules';
import { list as listSchema, object as objectSchema } from '../openapi/schema';
import { kindOf } from './violations';

const PART = objectSchema({ type: text.schema }, ['type']);

/** A text, or an array of texts or typed parts, which providers also accept. */
const INPUT = {
  anyOf: [text.schema, { ...list(text).schema, minItems: 1 }, { ...listSchema(PART), minItems: 1 }],
  description: 'The text to classify.',
};

const input = rule(INPUT, (value, path, found) => {
  if (typeof value === 'string') return;
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    (value.every((item) => typeof item === 'string') || value.every(isPart));
  if (!isList) found.add(path, 'must be a string', kindOf(value));
});

const isPart = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string';

/** Body of `POST /moderations`. */
export const moderationBody = named(
  'CreateModerationRequest',
  object(
    {
      input,
      model: documented(text, {
        default: 'text-moderation-latest',
        description: 'text-moderation-latest, text-moderation-stable, or another model of the provider.',
      }),
    },
    { required: ['input'] },
  ),
);
