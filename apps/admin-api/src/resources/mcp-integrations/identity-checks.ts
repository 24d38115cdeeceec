import type { CheckedIntegration, Faults } from './configuration-faults';
import { sentHeaderFault } from './mcp-header-names';

const CLAIMS = ['sub', 'organisation_id', 'workspace_id', 'api_key_id'];
const IDENTITY_METHODS = ['claims_header', 'bearer', 'jwt_header'];
const EXPIRY_SECONDS = { min: 30, max: 300 };

/** Checks the configuration `user_identity_forwarding`. */
export function checkIdentity(value: unknown, path: string, faults: Faults, of: CheckedIntegration): void {
  const knownMembers = ['method', 'include_claims', 'header_name', 'jwt_expiry_seconds'];
  if (!faults.object(value, path, knownMembers)) return;
  const { method, include_claims: claims, header_name: header, jwt_expiry_seconds: expiry } = value;
  const isKnown = IDENTITY_METHODS.some((name) => name === method);
  if (!isKnown) faults.add(`${path}.method`, `must be one of ${IDENTITY_METHODS.join(', ')}`);
  if (!/^https:/i.test(of.url)) faults.add(path, 'is sent over https only; change the scheme of url');
  if (
    claims !== undefined &&
    !(isTexts(claims, CLAIMS.length) && claims.every((each) => CLAIMS.includes(each)))
  )
    faults.add(`${path}.include_claims`, `must be a list of ${CLAIMS.join(', ')}`);
  if (header !== undefined) faults.add(`${path}.header_name`, identityHeaderFault(method, header));
  if (isKnown && method !== 'claims_header') checkToken(method, path, faults, of);
  if (expiry !== undefined) checkExpiry(method, expiry, `${path}.jwt_expiry_seconds`, faults);
}

function identityHeaderFault(method: unknown, header: unknown): string | null {
  if (method === 'bearer') return 'is authorization with the method bearer; remove it';
  const isBearer = method === 'jwt_header' && String(header).toLowerCase() === 'authorization';
  return isBearer
    ? 'must be another header; use the method bearer for authorization'
    : sentHeaderFault(header);
}

/** Checks the method and members of a signed token about the caller. */
function checkToken(
  method: unknown,
  path: string,
  faults: Faults,
  { hasIssuer, ...of }: CheckedIntegration,
): void {
  if (!hasIssuer)
    faults.add(`${path}.method`, 'needs the setting PUBLIC_URL, where the key set is published');
  const isTaken = of.authType !== 'none' && (of.authType !== 'headers' || of.sendsAuthorization);
  if (method === 'bearer' && isTaken)
    faults.add(`${path}.method`, 'bearer needs the header authorization for itself; use jwt_header');
}

function checkExpiry(method: unknown, expiry: unknown, path: string, faults: Faults): void {
  const { min, max } = EXPIRY_SECONDS;
  if (method === 'claims_header') faults.add(path, 'is for the methods bearer and jwt_header; remove it');
  else if (!Number.isInteger(expiry) || Number(expiry) < min || Number(expiry) > max)
    faults.add(path, `must be a number of seconds from ${String(min)} to ${String(max)}`);
}

const isTexts = (value: unknown, max: number): value is readonly string[] =>
  Array.isArray(value) &&
  value.length <= max &&
  value.every((each) => typeof each === 'string' && each !== '' && each.length <= 255);
