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

/** A login that was started at a provider. */
export interface BegunLogin {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly state: string;
  readonly protocol: object;
}

/** Addresses of the admin API that a SAML provider is configured with. */
export interface SamlAddresses {
  readonly entityId: string;
  readonly acsUrl: string;
  readonly sloUrl: string;
}

/** SAML identity providers: builds requests to them and reads their responses. */
@Injectable()
export class SamlProviders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  /**
   * Returns the addresses for a connection. The entity id is the address of its metadata, so each
   * connection has a separate audience.
   */
  addressesOf({ id, organisationId }: Pick<SsoConnectionEntity, 'id' | 'organisationId'>): SamlAddresses {
    return {
      entityId: publicUrl(this.settings, `/v2/auth/saml/metadata/${id}`),
      acsUrl: publicUrl(this.settings, `/v2/auth/saml/callback/${organisationId}`),
      sloUrl: publicUrl(this.settings, `/v2/auth/saml/slo/${organisationId}`),
    };
  }

  /** Returns the metadata of the admin API for the provider of a connection. */
  metadataOf(connection: SsoConnectionEntity): string {
    const { signRequests, ownCertificate } = samlSettingsOf(connection);
    return spMetadataXml({
      ...this.addressesOf(connection),
      signsRequests: signRequests,
      certificates: [ownCertificate],
    });
  }

  /**
   * Starts a login. The id of the request is the state after an underscore, so that a response
   * identifies its flow even without RelayState.
   */
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
   * Returns the issuer of a response and the id of the request that it answers, both unverified.
   * Returns null when the response cannot be read.
   */
  claimsOf(response: string): { readonly issuer: string | null; readonly requestId: string | null } | null {
    try {
      return samlClaims(response);
    } catch (error) {
      if (error instanceof SamlFault) return null;
      throw error;
    }
  }

  /**
   * Reads a response with all checks. Throws `sso_login_refused`; the audit log contains the failed
   * check.
   */
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

  /**
   * Records that an assertion was used. Throws `sso_login_refused` when it was used before, in this
   * or another process.
   */
  async use(
    manager: EntityManager,
    { id: connectionId }: SsoConnectionEntity,
    { assertionId: id, usableUntil: expiresAt }: SamlIdentity,
  ): Promise<void> {
    if (!(await useMessage(manager, { connectionId, id, expiresAt })))
      throw refusedBy(8, 'The assertion was used before.');
  }

  /**
   * Returns the fields of a connection that the checks of a message use. Throws `sso_login_refused`
   * for a connection of another protocol.
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

/** Returns the id of the request of a flow. */
export const requestIdOf = (state: string): string => `_${state}`;

/**
 * Returns the error for a login that a check refuses. The user gets one sentence; the failed check
 * is the cause.
 */
export const refusedBy = (check: SamlFault['check'], message: string): GatewayError =>
  new GatewayError('sso_login_refused', { cause: new Error(`check ${String(check)}: ${message}`) });

/**
 * Returns the settings of a SAML connection. Throws `sso_login_refused` for a connection of another
 * type.
 */
export function samlSettingsOf({ saml }: SsoConnectionEntity): SamlSettings {
  if (saml === null) throw refusedBy(15, 'The connection is not of type saml.');
  return saml;
}
