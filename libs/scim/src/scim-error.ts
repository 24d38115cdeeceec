/** Kinds of errors of RFC 7644, section 3.12. */
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

/** An error that SCIM clients understand. `detail` names the attribute, the rule and the way out. */
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

/** A fault of the request: status 400 with its kind. */
export const fault = (scimType: ScimType, detail: string): ScimError => new ScimError(400, detail, scimType);
