import { secondFactorBinding, type SecondFactorEntity } from '@gw/entities';
import { seal, unseal, type Keyring } from '@gw/kernel';
import { generateSecret, generateURI, verifySync } from 'otplib';

const ISSUER = 'Tollgate';
const STEP_SECONDS = 30;

/** Whether the text has the format of a code from an authenticator app. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** Returns a new secret of 160 bits in Base32. */
export const newTotpSecret = (): string => generateSecret();

/** Returns the `otpauth` URI that authenticator apps read from a QR code. */
export const totpUri = (email: string, secret: string): string =>
  generateURI({ issuer: ISSUER, label: email, secret });

export const sealTotpSecret = (keyring: Keyring, id: string, secret: string): string =>
  seal(keyring, secret, secondFactorBinding(id));

/**
 * Returns the time step of a code; null for a wrong code. Accepts codes of the previous, the
 * current and the next step, because clocks differ (RFC 6238, section 5.2).
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
