/** One setting. It parses a text, or throws the rule that the text breaks. */
export interface Setting<T> {
  readonly fallback: T | undefined;
  /**
   * Throws an Error whose message is the rule, such as `must be a whole number from 1 to 65535`.
   */
  parse(text: string): T;
}

type Values<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

/**
 * Lists every invalid setting, so that one start shows all mistakes. It contains no values, since
 * some are secrets.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly { readonly name: string; readonly rule: string }[]) {
    super(problems.map(({ name, rule }) => `${name} ${rule}`).join('\n'));
  }
}

/** Reads settings from an environment. An empty text counts as absent. Throws `SettingsError`. */
export function readSettings<S extends Record<string, Setting<unknown>>>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const problems: { name: string; rule: string }[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(schema)) {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') {
      if (setting.fallback === undefined) problems.push({ name, rule: 'is required' });
      else values[name] = setting.fallback;
      continue;
    }
    try {
      values[name] = setting.parse(text);
    } catch (error) {
      problems.push({ name, rule: error instanceof Error ? error.message : 'is not valid' });
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return values as Values<S>;
}

/** Wraps a setting so that it may be absent: its value is then null. */
export const optional = <T>(setting: Setting<T>): Setting<T | null> => ({
  fallback: null,
  parse: (text) => setting.parse(text),
});

/** Any text that is not empty. A setting without a fallback is required. */
export const text = (fallback?: string): Setting<string> => ({ fallback, parse: (value) => value });

/** A whole number within the bounds, which are included. */
export function integer(bounds: { min: number; max: number }, fallback?: number): Setting<number> {
  return {
    fallback,
    parse: (value) => {
      const number = /^-?\d{1,15}$/.test(value) ? Number(value) : NaN;
      if (!(number >= bounds.min && number <= bounds.max)) {
        throw new Error(`must be a whole number from ${String(bounds.min)} to ${String(bounds.max)}`);
      }
      return number;
    },
  };
}

export const port = (fallback?: number): Setting<number> => integer({ min: 1, max: 65_535 }, fallback);

/** One of the values, in any case; the result has the spelling of `values`. */
export function oneOf<const T extends string>(values: readonly T[], fallback?: NoInfer<T>): Setting<T> {
  return {
    fallback,
    parse: (value) => {
      const found = values.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
      if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
      return found;
    },
  };
}

/** A boolean: `true`, `on`, `1`, `yes` or their opposites, in any case. */
export function flag(fallback?: boolean): Setting<boolean> {
  return {
    fallback,
    parse: (value) => {
      if (/^(true|on|1|yes)$/i.test(value)) return true;
      if (/^(false|off|0|no)$/i.test(value)) return false;
      throw new Error('must be true or false (also: on, off, 1, 0, yes, no)');
    },
  };
}

/** A feature that is on unless the setting is `OFF` or another false value of `flag`. */
export const feature = (): Setting<boolean> => flag(true);

/** An absolute URL with one of the protocols, without credentials unless `allowCredentials`. */
export function url(
  options: { readonly protocols: readonly string[]; readonly allowCredentials?: boolean },
  fallback?: string,
): Setting<string> {
  return {
    fallback,
    parse: (value) => {
      const parsed = URL.canParse(value) ? new URL(value) : null;
      if (!parsed || !options.protocols.includes(parsed.protocol)) {
        throw new Error(
          `must be a URL that starts with ${options.protocols.map((p) => `${p}//`).join(' or ')}`,
        );
      }
      if (!options.allowCredentials && (parsed.username || parsed.password))
        throw new Error('must hold no credentials');
      return value;
    },
  };
}

/** A required key of `bytes` bytes in base64. */
export const base64Key = (bytes: number): Setting<Buffer> => ({
  fallback: undefined,
  parse: (value) => {
    const key = Buffer.from(value, 'base64');
    if (key.length !== bytes) throw new Error(`must be ${String(bytes)} bytes in base64`);
    return key;
  },
});

/** Up to `countMax` keys of `bytes` bytes in base64, separated by commas; none when absent. */
export const base64Keys = (bytes: number, countMax: number): Setting<readonly Buffer[]> => ({
  fallback: [],
  parse: (value) => {
    const keys = value.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
    if (keys.length > countMax || keys.some(({ length }) => length !== bytes)) {
      throw new Error(
        `must be at most ${String(countMax)} keys of ${String(bytes)} bytes in base64, separated by commas`,
      );
    }
    return keys;
  },
});

/** Prefix of API keys: letters, digits, `_` and `-`. The rest of a key is strictly alphanumeric. */
export const apiKeyPrefix: Setting<string> = {
  fallback: '',
  parse: (value) => {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(value)) {
      throw new Error('must be 1 to 32 characters of A-Z, a-z, 0-9, _ and -');
    }
    return value;
  },
};

/** A secret of at least `min` characters. */
export const secret = (min: number): Setting<string> => ({
  fallback: undefined,
  parse: (value) => {
    if (value.length < min) throw new Error(`must have at least ${String(min)} characters`);
    return value;
  },
});
