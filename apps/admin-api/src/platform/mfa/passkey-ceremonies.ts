import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import type { SecondFactorEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { SETTINGS } from '../../settings';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import type { FactorScope } from './recovery-codes';

const lazily = createRequire(__filename);
/**
 * Loads the WebAuthn library with the first passkey, because loading it takes longer than most
 * libraries.
 */
const webAuthn = () => lazily('@simplewebauthn/server') as typeof import('@simplewebauthn/server');
const webAuthnHelpers = () =>
  lazily('@simplewebauthn/server/helpers') as typeof import('@simplewebauthn/server/helpers');

/** COSE algorithm numbers of EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];
const RELYING_PARTY = 'Tollgate';

/** A passkey that a registration has proved. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly signCount: string;
}

/**
 * Origin and id of the relying party (WebAuthn), derived from the public URL of the installation.
 */
interface Site {
  readonly origin: string;
  readonly id: string;
}

/** Whether a challenge, as the device signed it, is the one that was issued for this ceremony. */
type IsExpectedChallenge = (challenge: string) => boolean;

/** WebAuthn level 2 ceremonies for passkeys, at the public URL of this installation. */
@Injectable()
export class PasskeyCeremonies {
  private readonly site: Site | null;

  constructor(@Inject(SETTINGS) settings: PublicUrlSettings) {
    const { origin, hostname } = new URL(publicUrl(settings, '/'));
    // Browsers do not allow an IP address as the id of a relying party.
    this.site = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? { origin, id: hostname } : null;
  }

  get isAvailable(): boolean {
    return this.site !== null;
  }

  /** Returns the options for `navigator.credentials.create`. */
  async registration(user: FactorScope & { readonly email: string }, challenge: string): Promise<object> {
    const { id: rpID } = this.siteOrThrow();
    return webAuthn().generateRegistrationOptions({
      ...{ rpName: RELYING_PARTY, rpID, userName: user.email, userID: userHandle(user), challenge },
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /**
   * Returns the options for `navigator.credentials.get`. `credentialIds` are the passkeys of a user
   * who has passed another factor. Without them the passkey is the only factor: the device offers
   * all its passkeys for this site and must verify the user (`isOnlyFactor` in `authenticated`).
   */
  async authentication(challenge: string, credentialIds?: readonly string[]): Promise<object> {
    const { id: rpID } = this.siteOrThrow();
    return webAuthn().generateAuthenticationOptions({
      ...{ rpID, challenge, userVerification: credentialIds === undefined ? 'required' : 'preferred' },
      ...(credentialIds && { allowCredentials: credentialIds.map((id) => ({ id })) }),
    });
  }

  /** Returns the new passkey, or null for a response that does not prove it. */
  async registered(response: object, expectedChallenge: IsExpectedChallenge): Promise<NewPasskey | null> {
    const { origin, id } = this.siteOrThrow();
    if (!hasNoCertificates(response)) return null;
    const verified = await webAuthn()
      .verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        ...{ expectedChallenge, expectedOrigin: origin, expectedRPID: id, requireUserVerification: true },
        supportedAlgorithmIDs: ALGORITHMS,
      })
      .catch(() => null);
    if (verified?.verified !== true) return null;
    const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
    const key = Buffer.from(publicKey).toString('base64url');
    return { credentialId, publicKey: key, signCount: String(counter) };
  }

  /**
   * Returns the new sign count, or null for a response that does not prove the passkey. With
   * `isOnlyFactor` the device must also have verified the user, by PIN or biometrics, because the
   * passkey replaces the password.
   */
  async authenticated(
    response: object,
    passkey: SecondFactorEntity,
    {
      expectedChallenge,
      isOnlyFactor,
    }: { readonly expectedChallenge: IsExpectedChallenge; readonly isOnlyFactor: boolean },
  ): Promise<number | null> {
    const { origin, id } = this.siteOrThrow();
    const credential: WebAuthnCredential = {
      id: passkey.credentialId ?? '',
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey ?? '', 'base64url')),
      counter: Number(passkey.signCount ?? 0),
    };
    const verified = await webAuthn()
      .verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        ...{ expectedChallenge, expectedOrigin: origin, expectedRPID: id, credential },
        requireUserVerification: isOnlyFactor,
      })
      .catch(() => null);
    return verified?.verified === true ? verified.authenticationInfo.newCounter : null;
  }

  private siteOrThrow(): Site {
    if (this.site !== null) return this.site;
    throw new GatewayError('feature_disabled', {
      message:
        'Passkeys need a host name: set CONSOLE_URL to the URL at which people reach this installation.',
    });
  }
}

/**
 * Returns the handle that identifies a user to devices without revealing the user. It differs by
 * organisation, so that passkeys for different organisations do not replace each other.
 */
export const userHandle = ({ userId, organisationId }: FactorScope): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    createHash('sha256')
      .update(`passkey ${userId} ${organisationId ?? ''}`)
      .digest(),
  );

/**
 * Whether the attestation contains no certificates: it has the format `none`, which was requested,
 * or it is a `packed` self attestation, which browsers may keep then (WebAuthn level 2, 5.1.3). For
 * other attestations the library would read certificates from the caller and fetch the revocation
 * lists that they name. It is decoded with the library's own decoder, so that both see the same
 * format.
 */
function hasNoCertificates(response: object): boolean {
  const inner: unknown = Reflect.get(response, 'response');
  const text: unknown =
    typeof inner === 'object' && inner !== null ? Reflect.get(inner, 'attestationObject') : null;
  if (typeof text !== 'string') return false;
  try {
    const { decodeAttestationObject, isoBase64URL } = webAuthnHelpers();
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(text));
    const format = attestation.get('fmt');
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}
