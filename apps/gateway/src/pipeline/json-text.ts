/** Printable ASCII without quote and backslash: needs no escape in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A string, or null, as JSON text. */
export function text(value: string | null): string {
  if (value === null) return 'null';
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** Milliseconds with up to three decimals. Formatting a fraction as a double costs ten times as much. */
export function ms(value: number | null): string {
  if (value === null) return 'null';
  const micros = Math.round(value * 1_000);
  const whole = Math.floor(micros / 1_000);
  const rest = micros - whole * 1_000;
  if (rest === 0) return String(whole);
  return `${String(whole)}.${rest < 100 ? (rest < 10 ? '00' : '0') : ''}${String(rest)}`;
}

/** Remembers the JSON text that was made of an object, as long as the object lives. */
export function remembered<T extends object>(make: (value: T) => string): (value: T) => string {
  const made = new WeakMap<T, string>();
  return (value) => {
    let json = made.get(value);
    if (json === undefined) {
      json = make(value);
      made.set(value, json);
    }
    return json;
  };
}
