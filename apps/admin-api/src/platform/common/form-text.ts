/**
 * Returns the text of a field of an HTML form, truncated to `max` characters; empty when the field
 * is missing or is not text.
 */
export function formText(body: unknown, name: string, max = 1_024): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === 'string' ? value.slice(0, max) : '';
}
