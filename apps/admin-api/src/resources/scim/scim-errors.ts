import { isUniqueViolation } from '@gw/entities';
import { ScimError, type ScimType } from '@gw/scim';
import { toPublicError } from '@gw/web';

const TYPES: Readonly<Partial<Record<number, ScimType>>> = { 400: 'invalidSyntax', 409: 'uniqueness' };

/** Converts any thrown value to a SCIM error; does not expose the details of internal errors. */
export function scimErrorOf(thrown: unknown): ScimError {
  if (thrown instanceof ScimError) return thrown;
  if (isUniqueViolation(thrown)) {
    return new ScimError(409, 'Another request has created the same resource.', 'uniqueness');
  }
  const { status, message } = toPublicError(thrown);
  return new ScimError(status, message, TYPES[status] ?? null);
}

/** Returns the body of an error response (RFC 7644, section 3.12). */
export const scimErrorBody = ({ status, scimType, message }: ScimError): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail: message,
});
