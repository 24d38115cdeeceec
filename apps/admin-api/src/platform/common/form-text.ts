/** The text of a field of an HTML form, cut at `max` characters; empty when the field is not there or is no text. */
export function formText(body: unknown, name: string, max = 1_024): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === 'string' ? value.slice(0, max) : '';
}
