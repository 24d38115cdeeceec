import { checkClaims } from '../../platform/upstreams/configuration-checks';
import type { CheckContext, ConfigurationCheck, Faults } from '../../platform/upstreams/configuration-faults';
import { sentHeaderFault } from '../../platform/upstreams/header-names';

const IDENTITY_METHODS = ['claims_header', 'bearer', 'jwt_header'];
const EXPIRY_SECONDS = { min: 30, max: 300 };

/** Checks the configuration `user_identity_forwarding`. */
export const checkIdentity: ConfigurationCheck = (value, path, faults, of) => {
  const knownMembers = ['method', 'include_claims', 'header_name', 'jwt_expiry_seconds'];
  if (!faults.object(value, path, knownMembers)) return;
  const { method, header_name: header, jwt_expiry_seconds: expiry } = value;
  const isKnown = IDENTITY_METHODS.some((name) => name === method);
  if (!isKnown) faults.add(`${path}.method`, `must be one of ${IDENTITY_METHODS.join(', ')}`);
  checkClaims(value, path, faults, of);
  if (header !== undefined) faults.add(`${path}.header_name`, identityHeaderFault(method, header, of));
  if (isKnown && method !== 'claims_header') checkToken(method, path, faults, of);
  if (expiry !== undefined) checkExpiry(method, expiry, `${path}.jwt_expiry_seconds`, faults);
};

function identityHeaderFault(
  method: unknown,
  header: unknown,
  { protocolHeaders }: Pick<CheckContext, 'protocolHeaders'>,
): string | null {
  if (method === 'bearer') return 'is authorization with the method bearer; remove it';
  const isBearer = method === 'jwt_header' && String(header).toLowerCase() === 'authorization';
  return isBearer
    ? 'must be another header; use the method bearer for authorization'
    : sentHeaderFault(header, protocolHeaders);
}

/** Checks the method and members of a signed token about the caller. */
function checkToken(method: unknown, path: string, faults: Faults, { hasIssuer, ...of }: CheckContext): void {
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
