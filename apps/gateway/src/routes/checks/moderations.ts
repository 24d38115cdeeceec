import { isObject } from '../../http/json-body';
import { object, text, type Rule } from './rules';
import { kindOf } from './violations';

/** A text; also the arrays of texts and of typed parts that providers take today. */
const input: Rule = (value, path, found) => {
  if (typeof value === 'string') return;
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    (value.every((item) => typeof item === 'string') || value.every(isPart));
  if (!isList) found.add(path, 'must be a string', kindOf(value));
};

const isPart = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string';

/** Body of `POST /moderations`. */
export const moderationBody = object({ input, model: text }, { required: ['input'] });
