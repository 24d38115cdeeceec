import { EMAIL_FORMAT } from './names';
import { SamlFault, type SamlConnection } from './saml-types';

const EMAIL_NAMES = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'emailAddress',
];
const GIVEN_NAMES = [
  'given_name',
  'givenName',
  'firstName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
];
const FAMILY_NAMES = [
  'family_name',
  'sn',
  'lastName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
];
/** Matches one e-mail address without quotes, comments or a second `@`. */
const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63})$/;

type Values = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the user's e-mail address, from the attribute or else from the NameID (checks 12 and 13);
 * null for none.
 */
export async function emailOf(
  values: Values,
  nameId: { readonly value: string; readonly format: string },
  connection: SamlConnection,
): Promise<string | null> {
  const said = new Set(
    valuesOf(values, connection.emailAttribute, EMAIL_NAMES).map((each) => each.toLowerCase()),
  );
  if (said.size > 1) throw new SamlFault(12, 'The attribute of the address has values that differ.');
  const [attribute] = said;
  const email = attribute ?? (nameId.format === EMAIL_FORMAT ? nameId.value.toLowerCase() : null);
  if (email === null) return null;
  const domain = email.length > 254 ? undefined : ADDRESS.exec(email)?.[1];
  if (domain === undefined) throw new SamlFault(13, 'The address is not a plain address.');
  if (!(await connection.isDomainAllowed(domain))) {
    throw new SamlFault(13, `The domain ${domain} is not verified for this connection.`);
  }
  return email;
}

/** Returns the user's names, for a first login; empty texts when missing. */
export function namesOf(
  values: Values,
  connection: SamlConnection,
): { givenName: string; familyName: string } {
  const first = (name: string | null, usual: readonly string[]): string =>
    (valuesOf(values, name, usual)[0] ?? '').slice(0, 255);
  return {
    givenName: first(connection.givenNameAttribute, GIVEN_NAMES),
    familyName: first(connection.familyNameAttribute, FAMILY_NAMES),
  };
}

/** Returns the non-empty values of the first attribute that has any. */
function valuesOf(values: Values, configured: string | null, usual: readonly string[]): readonly string[] {
  for (const name of configured === null ? usual : [configured]) {
    const found = (values.get(name) ?? []).filter((each) => each !== '');
    if (found.length > 0) return found;
  }
  return [];
}
