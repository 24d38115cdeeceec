/** Path of an error: member names and list indexes from the root of the document. */
export type Path = readonly (string | number)[];

/** Called once per error with its path, the broken rule, what the rule requires, and the value. */
export type Report = (path: Path, rule: string, message: string, value: unknown) => void;

export type ConfigNode = Readonly<Record<string, unknown>>;

/** Lookups that depend on the workspace. A check without its function is skipped. */
export interface ValidateConfigOptions {
  /** Takes the name of a provider, such as `openai`. */
  readonly isKnownProvider?: (name: string) => boolean;
  /**
   * Takes the slug of a saved provider, from `provider: "@slug"` or `virtual_key`, without the `@`.
   */
  readonly isKnownSavedProvider?: (slug: string) => boolean;
  /** Takes the slug of a saved guardrail. */
  readonly isKnownGuardrail?: (slug: string) => boolean;
  /** Applies the address policy. Returns why it refuses a URL; null when it allows the URL. */
  readonly checkHost?: (url: string) => string | null;
}
