import { call } from '../api';
import { hasPasskeys } from '../app/session/passkey';
import { factors as text } from '../messages';
import type { Proof } from './factor-types';

/** Whether this browser can create passkeys for this host. */
export const canMakePasskeys = (): boolean =>
  hasPasskeys() && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/**
 * Creates a passkey on the user's device and registers it. Returns new recovery codes, empty when
 * the user already has some. Rejects when the user cancels.
 */
export async function makePasskey(proof: Proof, name: string): Promise<readonly string[]> {
  const { data } = await call('passkeys_begin', {}, { body: proof });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    data.options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw new Error(text.noPasskey);
  const response = credential.toJSON() as unknown as Record<string, never>;
  const named = name === '' ? {} : { name };
  return (await call('passkeys_register', {}, { body: { ...named, response } })).data.recovery_codes;
}
