import { isUniqueViolation } from '@gw/entities';
import { ScimError, type ScimType } from '@gw/scim';
import { toPublicError } from '@gw/web';

const TYPES: Readonly<Partial<Record<number, ScimType>>> = { 400: 'invalidSyntax', 409: 'uniqueness' };

/** Turns anything that was thrown into an error of SCIM; the details of internal errors stay inside. */
export function scimErrorOf(thrown: unknown): ScimError {
  if (thrown instanceof ScimError) return thrown;
  if (isUniqueViolation(thrown)) {
    return new ScimError(409, 'Another request has created the same resource.', 'uniqueness');
  }
  const { status, message } = toPublicError(thrown);
  return new ScimError(status, message, TYPES[status] ?? null);
}

/** The body of an error (RFC 7644, section 3.12). */
export const scimErrorBody = ({ status, scimType, message }: ScimError): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail: message,
});
