import { isObject, isVisibleAscii } from '@gw/kernel';
import { CheckError, type ParameterReport } from './check';
import { type JsonObject } from './json';

/** A reference to a secret in a secret manager, as the value of a secret parameter. */
export interface SecretReference {
  /** Id or slug of the reference; a saved guardrail has the id. */
  readonly secret_reference_id: string;
  /**
   * Member to read from a secret that is a JSON object; overrides the member that the reference
   * names.
   */
  readonly secret_key?: string;
}

/** Reads the referenced secret. Throws or rejects when it is unavailable. */
export type SecretSource = (reference: SecretReference) => string | Promise<string>;

export const isSecretReference = (value: unknown): value is SecretReference =>
  isObject(value) && typeof value['secret_reference_id'] === 'string';

/** Returns the key under which a guardrail stores the location of a secret. */
export const secretNameOf = ({ secret_reference_id: id, secret_key: key }: SecretReference): string =>
  `${id}#${key ?? ''}`;

/** Returns the schema of a secret parameter: the text, or a reference to it. */
export const secretParameter = (schema: object): object => ({
  ...schema,
  type: ['string', 'object'],
  properties: {
    secret_reference_id: { type: 'string', minLength: 1, maxLength: 255 },
    secret_key: { type: 'string', minLength: 1, maxLength: 255 },
  },
  required: ['secret_reference_id'],
  additionalProperties: false,
});

/**
 * Parameters of a check whose secret references are resolved at each run. The `SecretSource` caches
 * the secrets.
 */
export class SecretParameters<P extends JsonObject> {
  private readonly references: readonly (readonly [string, SecretReference])[];

  constructor(
    private readonly parameters: P,
    names: readonly string[],
    private readonly source: SecretSource | undefined,
    report: ParameterReport,
  ) {
    this.references = names.flatMap((name) => {
      const value = parameters[name];
      return isSecretReference(value) ? [[name, value] as const] : [];
    });
    if (source) return;
    for (const [name] of this.references)
      report([name], 'secret_reference', 'may be a reference in saved guardrails only', undefined);
  }

  /**
   * Returns the parameters with each reference replaced by its secret; null when there are no
   * references.
   */
  read(): Promise<P> | null {
    return this.references.length === 0 ? null : this.readAll();
  }

  private async readAll(): Promise<P> {
    const read = await Promise.all(
      this.references.map(async ([name, reference]) => [name, await this.readOne(reference)] as const),
    );
    return { ...this.parameters, ...Object.fromEntries(read) };
  }

  private async readOne(reference: SecretReference): Promise<string> {
    let text: string | undefined;
    try {
      text = (await this.source?.(reference))?.trim();
    } catch {
      // The error may name the manager and the path, which the caller must not see.
    }
    // The secret is sent in a header, so it must consist of visible ASCII characters.
    if (text === undefined || !isVisibleAscii(text))
      throw new CheckError('A secret of the check could not be read.');
    return text;
  }
}
