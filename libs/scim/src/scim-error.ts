/** Values of `scimType` (RFC 7644, section 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'sensitive';

/** An error in the format of SCIM. `detail` names the attribute, the rule and the remedy. */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly scimType: ScimType | null = null,
  ) {
    super(detail);
    this.name = 'ScimError';
  }
}

/** Creates an error of the request, with status 400 and its `scimType`. */
export const fault = (scimType: ScimType, detail: string): ScimError => new ScimError(400, detail, scimType);
