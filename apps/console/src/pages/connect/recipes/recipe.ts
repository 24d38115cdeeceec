/** Values that a recipe fills in. */
export interface RecipeValues {
  /** Origin of the gateway, without `/v1`. */
  readonly base: string;
  /** The key as text; null: `$TOLLGATE_KEY`, which the reader sets. */
  readonly key: string | null;
  /** `@slug` of a provider; empty: the key's default config decides. */
  readonly provider: string;
  readonly model: string;
  /** Slug of a config, in the place of the provider; null: none. */
  readonly config: string | null;
  /** JSON of the body, in the place of the greeting; null: the greeting. */
  readonly body?: Readonly<Record<string, unknown>> | null;
}

/**
 * Requirement of a client for the key or the gateway. `default-config`: it sends no headers of
 * ours, so the key needs a default config. `public-address`: it calls from the servers of its
 * maker. `messages`, `responses`: a provider that serves this API.
 */
export type RecipeNeed =
  'default-config' | 'public-address' | 'messages' | 'responses' | 'gemini' | 'logs.write';

export type RecipeLanguage = 'shell' | 'python' | 'typescript' | 'toml' | 'json' | 'yaml' | 'text';

/** How one client is set up. */
export interface Recipe {
  readonly id: string;
  /** Name of the client. */
  readonly label: string;
  readonly language: RecipeLanguage;
  readonly needs: readonly RecipeNeed[];
  /** Name of the file, where the recipe is one. */
  readonly file?: string;
  readonly render: (values: RecipeValues) => string;
}

/** Is written instead of the key wherever that is not filled in. */
export const KEY_VARIABLE = 'TOLLGATE_KEY';

/** Headers that choose the way of a request. */
export const headersOf = ({ provider, config }: RecipeValues): Readonly<Record<string, string>> =>
  config !== null ? { 'x-gw-config': config } : provider === '' ? {} : { 'x-gw-provider': provider };

export const greeting = [{ role: 'user', content: 'Hello' }] as const;

/** The key within double quotes of a shell. */
export const shellKey = ({ key }: RecipeValues): string => key ?? `$${KEY_VARIABLE}`;
/** The key as an expression of Python. */
export const pythonKey = ({ key }: RecipeValues): string =>
  key === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key);
/** The key as an expression of JavaScript. */
export const scriptKey = ({ key }: RecipeValues): string =>
  key === null ? `process.env.${KEY_VARIABLE}` : scriptText(key);

/** A text as a literal of JavaScript in single quotes. */
export const scriptText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** A value of JSON as a literal of Python on one line. */
export function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`)
      .join(', ')}}`;
  const text = JSON.stringify(value);
  return PYTHON[text] ?? text;
}

/** A value of JSON as a literal of JavaScript on one line, with single quotes. */
export function scriptValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(scriptValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : scriptText(name)}: ${scriptValue(member)}`,
    );
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? scriptText(value) : JSON.stringify(value);
}

/** A text within single quotes of a shell. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A word of a shell in quotes, in which nothing is expanded: names of models come from addresses of pages, too. */
export const shellWord = (text: string): string =>
  /^[\w.:/@+-]*$/.test(text) ? `"${text}"` : shellText(text);
