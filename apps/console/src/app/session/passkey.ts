import { call, type ResponseOf } from '../../api';
import { session } from '../../messages';

/**
 * Whether passkeys work here. They need browser support and a host name; an IP address does not
 * work.
 */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|^\[/.test(location.hostname);

/**
 * Signs in with a passkey: as the second factor of `challenge`, or as the only factor when it is
 * null. Rejects when the user cancels.
 */
export async function signByPasskey(
  challenge: string | null,
  organisation: string | null,
): Promise<ResponseOf<'passkeyLogin_login'>> {
  const named = challenge === null ? {} : { challenge };
  const { data } = await call('passkeyLogin_begin', {}, { body: named });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    data.options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw new Error(session.noPasskey);
  const response = credential.toJSON() as unknown as Record<string, never>;
  const where = challenge === null && organisation !== null ? { organisation_id: organisation } : {};
  return (await call('passkeyLogin_login', {}, { body: { ...named, ...where, response } })).data;
}
