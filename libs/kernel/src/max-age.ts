/**
 * Returns for how many milliseconds a response may be reused according to its headers (RFC 9111):
 * `max-age` minus `Age`. 0 if it must not be stored, or must be revalidated before each use; null
 * if the headers name no age.
 */
export function maxAgeMs(headers: {
  readonly 'cache-control'?: string | undefined;
  readonly age?: string | undefined;
}): number | null {
  const directives = (headers['cache-control'] ?? '').toLowerCase().split(',');
  const ages: number[] = [];
  for (const directive of directives) {
    const [name = '', value = ''] = directive.split('=', 2).map((part) => part.trim());
    if (name === 'no-store' || name === 'no-cache') return 0;
    // The smallest of several ages counts; an age that is no number is ignored.
    if (name === 'max-age' && /^(?:\d{1,12}|"\d{1,12}")$/.test(value))
      ages.push(Number(value.replaceAll('"', '')));
  }
  if (ages.length === 0) return null;
  const passed = /^\d{1,12}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(0, Math.min(...ages) - passed) * 1_000;
}
