import { isStorableText, truncated } from '@gw/kernel';

/**
 * Returns the text of a field of an HTML form, truncated to `max` characters; empty when the field
 * is missing, or is not a text that databases can store.
 */
export function formText(body: unknown, name: string, max = 1_024): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  const text = typeof value === 'string' ? truncated(value, max) : '';
  return isStorableText(text) ? text : '';
}
