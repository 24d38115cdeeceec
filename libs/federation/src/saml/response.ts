import {
  checkAttributes,
  checkAuthentication,
  checkCharacters,
  checkConditions,
  checkConfirmation,
  checkDestination,
  checkForm,
  checkIssuer,
  checkNameId,
  checkRequest,
  checkStatus,
  SKEW_MS,
  type Parts,
} from './checks';
import { decryptAssertion } from './decrypt';
import { emailOf, namesOf } from './email';
import { claimedBy, guardBase64, type Guarded } from './guard';
import { ASSERTION } from './names';
import {
  SamlFault,
  type SamlCheck,
  type SamlConnection,
  type SamlExpectation,
  type SamlIdentity,
} from './saml-types';
import { isSigned, keysOf, signedElement } from './signed-bytes';
import { childrenOf, type XmlElement } from './xml';

export type SamlVerdict =
  { readonly identity: SamlIdentity } | { readonly failed: SamlCheck; readonly message: string };

/**
 * Returns the unverified issuer and request of a response, for finding the connection and the flow
 * only. Throws `SamlFault`.
 */
export const samlClaims = (base64: string): ReturnType<typeof claimedBy> => claimedBy(guardBase64(base64));

/**
 * Reads a SAMLResponse: runs the guard, verifies the signature, and runs every check on the signed
 * canonical bytes. Returns the identity or the first failed check. The caller runs checks 8, 15 and
 * the flow's part of 9, which need stored state.
 */
export async function readSamlResponse(
  base64: string,
  connection: SamlConnection,
  expected: SamlExpectation,
): Promise<SamlVerdict> {
  try {
    return { identity: await identityIn(base64, connection, expected) };
  } catch (error) {
    if (error instanceof SamlFault) return { failed: error.check, message: error.message };
    throw error;
  }
}

async function identityIn(
  base64: string,
  connection: SamlConnection,
  expected: SamlExpectation,
): Promise<SamlIdentity> {
  const parts = partsOf(guardBase64(base64), connection, expected);
  checkForm(parts.response, parts.assertion);
  checkStatus(parts.response);
  checkDestination(parts);
  checkIssuer(parts);
  const confirmation = checkConfirmation(parts);
  checkConditions(parts);
  checkRequest(parts);
  const { sessionIndex, endsAt } = checkAuthentication(parts);
  const nameId = checkNameId(parts);
  const values = checkAttributes(parts);
  const email = await emailOf(values, nameId, connection);
  checkCharacters(parts.response, parts.assertion);
  return {
    subject: nameId.value,
    email,
    ...namesOf(values, connection),
    attributes: values,
    sessionIndex,
    sessionEndsAt: endsAt,
    assertionId: parts.assertion.attributes.get('ID') ?? '',
    usableUntil: new Date(confirmation.notOnOrAfter.getTime() + SKEW_MS),
    isIdpInitiated: expected.requestId === null,
  };
}

/**
 * Returns the response and its assertion from the bytes that their signatures cover. The assertion
 * itself must be signed.
 */
function partsOf(outer: Guarded, connection: SamlConnection, expected: SamlExpectation): Parts {
  const { root } = outer;
  const [plain] = childrenOf(root, ASSERTION, 'Assertion');
  const [encrypted] = childrenOf(root, ASSERTION, 'EncryptedAssertion');
  if (plain === undefined && encrypted === undefined) {
    checkForm(root, null);
    checkStatus(root);
    throw new SamlFault('guard', 'There is no assertion.');
  }
  const keys = keysOf(connection, expected.now);
  const isResponseSigned = isSigned(root);
  const response = isResponseSigned ? signedElement(outer, root, keys) : root;
  const inner = plain === undefined ? decrypted(encrypted, connection) : { guarded: outer, element: plain };
  const assertion = signedElement(inner.guarded, inner.element, keys);
  return { response, isResponseSigned, assertion, connection, expected };
}

function decrypted(
  encrypted: XmlElement | undefined,
  { decryptionKeys }: SamlConnection,
): { readonly guarded: Guarded; readonly element: XmlElement } {
  if (encrypted === undefined) throw new SamlFault('guard', 'There is no assertion.');
  const guarded = decryptAssertion(encrypted, decryptionKeys);
  return { guarded, element: guarded.root };
}
