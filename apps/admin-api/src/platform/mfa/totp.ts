import { secondFactorBinding, type SecondFactorEntity } from '@gw/entities';
import { seal, unseal, type Keyring } from '@gw/kernel';
import { generateSecret, generateURI, verifySync } from 'otplib';

const ISSUER = 'Tollgate';
const STEP_SECONDS = 30;

/** Whether the text has the form of a code of an authenticator app. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** A new secret of 160 bits, in Base32. */
export const newTotpSecret = (): string => generateSecret();

/** The address that authenticator apps read from a QR code. */
export const totpUri = (email: string, secret: string): string =>
  generateURI({ issuer: ISSUER, label: email, secret });

export const sealTotpSecret = (keyring: Keyring, id: string, secret: string): string =>
  seal(keyring, secret, secondFactorBinding(id));

/**
 * Returns the step that the code belongs to, or null for a wrong code. Accepts the codes of the current step, of the one before and of
 * the next, for clocks that differ (RFC 6238, 5.2).
 */
export function totpStepOf(
  keyring: Keyring,
  { id, sealedSecret }: Pick<SecondFactorEntity, 'id' | 'sealedSecret'>,
  code: string,
): number | null {
  if (!isTotpCode(code) || sealedSecret === null) return null;
  const secret = unseal(keyring, sealedSecret, secondFactorBinding(id)).toString('utf8');
  const result = verifySync({ strategy: 'totp', secret, token: code, epochTolerance: STEP_SECONDS });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
