/**
 * Milliseconds for which a response may be used again, by its own headers (RFC 9111): `max-age` less `Age`. 0 for one that must not be
 * stored, or not be used without asking; null when it does not say.
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
    // Of several ages the smallest counts; one that is no number does not.
    if (name === 'max-age' && /^(?:\d{1,12}|"\d{1,12}")$/.test(value))
      ages.push(Number(value.replaceAll('"', '')));
  }
  if (ages.length === 0) return null;
  const passed = /^\d{1,12}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(0, Math.min(...ages) - passed) * 1_000;
}
