/** Place of a failure: member names and list positions from the root of the document. */
export type Path = readonly (string | number)[];

/** Called once for every failure: where, which rule, what it asks, and what stood there. */
export type Report = (path: Path, rule: string, message: string, value: unknown) => void;

export type ConfigNode = Readonly<Record<string, unknown>>;

/** What only a workspace knows. A question that is left out is not checked. */
export interface ValidateConfigOptions {
  /** Takes the name of a provider, such as `openai`. */
  readonly isKnownProvider?: (name: string) => boolean;
  /** Takes the slug of a saved provider, from `provider: "@slug"` or `virtual_key`, without the `@`. */
  readonly isKnownSavedProvider?: (slug: string) => boolean;
  /** Takes the slug of a saved guardrail. */
  readonly isKnownGuardrail?: (slug: string) => boolean;
  /** The address policy: why an address is refused, or null. */
  readonly checkHost?: (url: string) => string | null;
}
