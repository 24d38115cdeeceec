/** Printable ASCII without quote and backslash: needs no escape in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A string, or null, as JSON text. */
export function text(value: string | null): string {
  if (value === null) return 'null';
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

const NAMES_MAX = 4_096;
const NAME_LENGTH_MAX = 128;
const names = new Map<string, string>();

/**
 * `text` for what comes again and again: names of models and providers, content types, paths. It remembers up to 4,096 short
 * strings; at the cap it forgets them all, which costs one look at each.
 */
export function nameText(value: string | null): string {
  if (value === null) return 'null';
  const known = names.get(value);
  if (known !== undefined) return known;
  const made = text(value);
  if (value.length > NAME_LENGTH_MAX) return made;
  if (names.size >= NAMES_MAX) names.clear();
  names.set(value, made);
  return made;
}

const WHOLE = Array.from({ length: 1_000 }, (_, whole) => String(whole));
/** `.5` for 500 thousandths, `.025` for 25, nothing for 0. */
const FRACTION = Array.from({ length: 1_000 }, (_, rest) => String(rest / 1_000).slice(1));

/** Milliseconds with up to three decimals. Formatting a fraction as a double costs ten times as much. */
export function ms(value: number | null): string {
  if (value === null) return 'null';
  const micros = Math.round(value * 1_000);
  const whole = Math.floor(micros / 1_000);
  const fraction = FRACTION[micros - whole * 1_000] as string;
  return (WHOLE[whole] ?? String(whole)) + fraction;
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
