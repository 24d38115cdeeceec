/** Values that a recipe fills in. */
export interface RecipeValues {
  /** Origin of the gateway, without `/v1`. */
  readonly base: string;
  /** Secret of the key; null for the variable `$TOLLGATE_KEY`, which the user sets. */
  readonly key: string | null;
  /** `@slug` of a provider; empty when the key's default config chooses. */
  readonly provider: string;
  readonly model: string;
  /** Slug of a config that replaces the provider; null for none. */
  readonly config: string | null;
  /** Request body as JSON; null or absent for a greeting. */
  readonly body?: Readonly<Record<string, unknown>> | null;
}

/**
 * Requirement of a client. `default-config`: the client cannot send Tollgate's headers, so the key
 * needs a default config. `public-address`: the client's vendor calls the gateway from its servers.
 * `messages`, `responses`, `gemini`: a provider that serves this API. `logs.write`: a key with this
 * scope.
 */
export type RecipeNeed =
  'default-config' | 'public-address' | 'messages' | 'responses' | 'gemini' | 'logs.write';

export type RecipeLanguage = 'shell' | 'python' | 'typescript' | 'toml' | 'json' | 'yaml' | 'text';

/** Set-up instructions of one client. */
export interface Recipe {
  readonly id: string;
  /** Name of the client. */
  readonly label: string;
  readonly language: RecipeLanguage;
  readonly needs: readonly RecipeNeed[];
  /** Name of the file when the recipe is a file. */
  readonly file?: string;
  readonly render: (values: RecipeValues) => string;
}

/** Environment variable that a recipe contains in place of the key. */
export const KEY_VARIABLE = 'TOLLGATE_KEY';

/** Headers that choose the config or provider of a request. */
export const headersOf = ({ provider, config }: RecipeValues): Readonly<Record<string, string>> =>
  config !== null ? { 'x-gw-config': config } : provider === '' ? {} : { 'x-gw-provider': provider };

export const greeting = [{ role: 'user', content: 'Hello' }] as const;

/** The key as it appears in a double-quoted shell string. */
export const shellKey = ({ key }: RecipeValues): string => key ?? `$${KEY_VARIABLE}`;
/** The key as a Python expression. */
export const pythonKey = ({ key }: RecipeValues): string =>
  key === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key);
/** The key as a JavaScript expression. */
export const scriptKey = ({ key }: RecipeValues): string =>
  key === null ? `process.env.${KEY_VARIABLE}` : scriptText(key);

/** Formats a text as a single-quoted JavaScript literal. */
export const scriptText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/**
 * Line of a comment with the command that sets the key, for files that only name a variable; empty
 * without a key. Without it, a copy would lack the key, which cannot be shown again.
 */
export const keyLine = (comment: string, variable: string, { key }: RecipeValues): string =>
  key === null ? '' : `\n${comment} export ${variable}="${key}"`;

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Formats a JSON value as a Python literal on one line. */
export function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`)
      .join(', ')}}`;
  const text = JSON.stringify(value);
  return PYTHON[text] ?? text;
}

/** Formats a JSON value as a JavaScript literal on one line, with single quotes. */
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

/** Quotes a text for a POSIX shell with single quotes. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Quotes a word for a shell so that nothing in it is expanded. Model names are untrusted: they can
 * come from the address of the page.
 */
export const shellWord = (text: string): string =>
  /^[\w.:/@+-]*$/.test(text) ? `"${text}"` : shellText(text);
