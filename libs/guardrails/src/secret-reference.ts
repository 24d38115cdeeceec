import { isObject } from '@gw/kernel';
import { CheckError, type ParameterReport } from './check';
import { type JsonObject } from './json';

/** A secret that rests in a secret manager, as the value of a parameter that is one. */
export interface SecretReference {
  /** Id or slug; the id once it is saved. */
  readonly secret_reference_id: string;
  /** The member of a secret that is a JSON object. Wins over the reference's own. */
  readonly secret_key?: string;
}

/** Reads what a reference names. Throws or rejects where it cannot be had. */
export type SecretSource = (reference: SecretReference) => string | Promise<string>;

export const isSecretReference = (value: unknown): value is SecretReference =>
  isObject(value) && typeof value['secret_reference_id'] === 'string';

/** By which the location of a secret is found among those of a guardrail. */
export const secretNameOf = ({ secret_reference_id: id, secret_key: key }: SecretReference): string =>
  `${id}#${key ?? ''}`;

/** The schema of a secret text: the text, or a reference to it. */
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

/** Parameters with their secret references read. Each run reads them anew; the reader caches them. */
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

  /** Null: there is none to be read. */
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
      // What went wrong may name the manager and the path; the caller learns neither.
    }
    // It is sent in a header.
    if (text === undefined || !/^[\x21-\x7e]+$/.test(text))
      throw new CheckError('A secret of the check could not be read.');
    return text;
  }
}
