import type { SamlSettings, SsoConnectionEntity } from '@gw/entities';
import {
  buildAuthnRequest,
  readSamlResponse,
  samlClaims,
  SamlFault,
  spMetadataXml,
  type SamlConnection,
  type SamlIdentity,
} from '@gw/federation';
import { GatewayError, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Secrets, SETTINGS } from '../../settings';
import { hasVerifiedDomain } from '../accounts/verified-domains';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import { openSecrets } from './sso-secrets';
import { useMessage } from './used-messages';

/** A login that has begun at a provider. */
export interface BegunLogin {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly state: string;
  readonly protocol: object;
}

/** The addresses of ours that a provider by SAML knows. */
export interface SamlAddresses {
  readonly entityId: string;
  readonly acsUrl: string;
  readonly sloUrl: string;
}

/** Identity providers by SAML: requests to them, and what their responses say. */
@Injectable()
export class SamlProviders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  /** Our entity id is the address of our metadata, so each connection has an audience of its own. */
  addressesOf({ id, organisationId }: Pick<SsoConnectionEntity, 'id' | 'organisationId'>): SamlAddresses {
    return {
      entityId: publicUrl(this.settings, `/v2/auth/saml/metadata/${id}`),
      acsUrl: publicUrl(this.settings, `/v2/auth/saml/callback/${organisationId}`),
      sloUrl: publicUrl(this.settings, `/v2/auth/saml/slo/${organisationId}`),
    };
  }

  /** Our metadata for the provider of a connection. */
  metadataOf(connection: SsoConnectionEntity): string {
    const { signRequests, ownCertificate } = samlSettingsOf(connection);
    return spMetadataXml({
      ...this.addressesOf(connection),
      signsRequests: signRequests,
      certificates: [ownCertificate],
    });
  }

  /** The id of the request is the state with an underscore before, so a response leads to its flow also without RelayState. */
  begin(connection: SsoConnectionEntity): BegunLogin {
    const saml = samlSettingsOf(connection);
    const state = randomAlphanumeric(43);
    const key = openSecrets(this.secrets.sealingKeyring, connection).samlKey;
    const request = buildAuthnRequest({
      ...this.addressesOf(connection),
      id: requestIdOf(state),
      issuedAt: new Date(),
      sso: { url: saml.ssoUrl, binding: saml.ssoBinding },
      nameIdFormat: saml.nameIdFormat,
      forceAuthn: saml.forceAuthn,
      authnContext: saml.authnContext,
      relayState: state,
      signingKey: saml.signRequests ? (key ?? null) : null,
    });
    return { ...request, state, protocol: {} };
  }

  /**
   * Issuer that a response names and the request that it answers, unverified. Null when the
   * response cannot be read.
   */
  claimsOf(response: string): { readonly issuer: string | null; readonly requestId: string | null } | null {
    try {
      return samlClaims(response);
    } catch (error) {
      if (error instanceof SamlFault) return null;
      throw error;
    }
  }

  /** Reads a response with all checks. Throws `sso_login_refused`; the audit log names the check. */
  async read(
    connection: SsoConnectionEntity,
    response: string,
    requestId: string | null,
  ): Promise<SamlIdentity> {
    const verdict = await readSamlResponse(response, this.connectionOf(connection), {
      ...this.addressesOf(connection),
      ...{ requestId, now: new Date() },
    });
    if ('failed' in verdict) throw refusedBy(verdict.failed, verdict.message);
    return verdict.identity;
  }

  /** Notes that an assertion was used. Throws `sso_login_refused` when it was used before, here or in another process. */
  async use(
    manager: EntityManager,
    { id: connectionId }: SsoConnectionEntity,
    { assertionId: id, usableUntil: expiresAt }: SamlIdentity,
  ): Promise<void> {
    if (!(await useMessage(manager, { connectionId, id, expiresAt })))
      throw refusedBy(8, 'The assertion was used before.');
  }

  /**
   * Fields of a connection that the checks of a message use. Throws `sso_login_refused` for a
   * connection of another protocol.
   */
  connectionOf(connection: SsoConnectionEntity): SamlConnection {
    const saml = samlSettingsOf(connection);
    const { samlKey } = openSecrets(this.secrets.sealingKeyring, connection);
    return {
      ...saml,
      idpEntityId: connection.issuer,
      certificates: saml.certificates.map(({ pem }) => pem),
      maxAge: connection.maxAge,
      decryptionKeys: samlKey === undefined ? [] : [samlKey],
      isDomainAllowed: (domain) =>
        hasVerifiedDomain(this.dataSource.manager, connection.organisationId, `x@${domain}`),
    };
  }
}

/** The id of the request of a flow. */
export const requestIdOf = (state: string): string => `_${state}`;

/** The refusal of a login by a check; the user learns one sentence. */
export const refusedBy = (check: SamlFault['check'], message: string): GatewayError =>
  new GatewayError('sso_login_refused', { cause: new Error(`check ${String(check)}: ${message}`) });

/** The settings of a connection that is of type `saml`. Throws `sso_login_refused` for another one. */
export function samlSettingsOf({ saml }: SsoConnectionEntity): SamlSettings {
  if (saml === null) throw refusedBy(15, 'The connection is not of type saml.');
  return saml;
}
