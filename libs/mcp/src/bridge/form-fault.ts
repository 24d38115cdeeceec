import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';

const FIELDS_MAX = 50;
const TEXT_MAX = 256;
const SECRET_NAME =
  /passw(?:or)?d|passphrase|secret|api[- ]?key|private[- ]?key|(?:access|refresh|auth)[- ]?token|\b(?:cvv|cvc|ssn|otp)\b|card[- ]?number|seed[- ]?phrase/i;
/** `pin` is a secret in a sentence and at the end of a name, but not in a name such as `pin_id`. */
const PIN = /\bpin\b/i;
const PIN_NAME = /(?:^| )pin(?: code| number)?$/i;

/** Types of the fields that a form may have (MCP 2025-11-25, elicitation). */
const FIELD_TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'array', 'null'],
]);
/** Keywords that could add fields to a form or members to a field. */
const NESTING = [
  ...['$ref', '$dynamicRef', 'allOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
  ...['patternProperties', 'unevaluatedProperties', 'prefixItems', 'contains'],
];

/** Returns why a form may not be shown to a user; null when it may. */
export function formFault(schema: JsonObject): string | null {
  const fields = Object.entries(ownObject(schema, 'properties'));
  if (fields.length > FIELDS_MAX) return `A form has at most ${String(FIELDS_MAX)} fields.`;
  const adds = [...NESTING, 'oneOf', 'anyOf'].some((keyword) => own(schema, keyword) !== undefined);
  if (adds || isObject(own(schema, 'additionalProperties'))) return NOT_FLAT;
  for (const [name, field] of fields) {
    if (!isObject(field)) return 'A field of a form must be a schema.';
    if (!isFlat(field)) return NOT_FLAT;
    const texts = [name, own(field, 'title'), own(field, 'format')];
    if (texts.some((text) => typeof text === 'string' && isSecret(text)))
      return 'A form must not ask for secrets; use URL mode.';
  }
  return null;
}

const NOT_FLAT = 'A form must be flat.';

/** Returns whether a field is a text, a number, a boolean, or a list of choices. */
function isFlat(field: JsonObject): boolean {
  const [type, items] = [own(field, 'type'), own(field, 'items')];
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const nests = [...NESTING, 'properties', 'additionalProperties'].some(
    (keyword) => own(field, keyword) !== undefined,
  );
  const choices = ['oneOf', 'anyOf'].map((keyword) => own(field, keyword) ?? []);
  return (
    !nests &&
    types.every((each) => FIELD_TYPES.has(each)) &&
    choices.every((list) => Array.isArray(list) && list.every(isChoice)) &&
    (items === undefined || (isObject(items) && isFlat(items)))
  );
}

/** Returns whether a member of `oneOf` is one value, with or without a title. */
const isChoice = (choice: unknown): boolean => isObject(choice) && own(choice, 'const') !== undefined;

/** Returns whether a name or title asks for a secret, in whatever case and with hidden characters. */
function isSecret(text: string): boolean {
  const plain = text
    .slice(0, TEXT_MAX)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '');
  const words = plain.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_.-]/g, ' ');
  return [plain, words].some((each) => SECRET_NAME.test(each)) || PIN.test(plain) || PIN_NAME.test(words);
}
