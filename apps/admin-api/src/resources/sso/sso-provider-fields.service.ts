import type { SsoConnectionEntity, TokenEndpointAuthMethod } from '@gw/entities';
import { newKeyWithCertificate, signingKey, type IdpMetadata, type PrivateJwk } from '@gw/federation';
import { isObject, isSecureUrl, type AddressPolicy } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { readableSecrets, sealSecrets, type SsoSecrets } from '../../platform/logins/sso-secrets';
import { Secrets } from '../../settings';
import { SamlSettingsReader } from './saml-settings.service';
import { toCertificates, type MetadataPreviewDto, type MetadataPreviewResponse } from './saml.dto';
import type { SsoConnectionFields, UpdateSsoConnectionDto } from './sso-connections.dto';

const KEYS_MAX = 10;
/** Fields of OpenID Connect that change columns of the provider. */
const OF_PROVIDER = ['issuer', 'client_id', 'client_secret', 'jwks', 'token_endpoint_auth_method'] as const;
const ONLY_OIDC = [
  ...OF_PROVIDER,
  ...(['scopes', 'trust_email', 'acr_values', 'prompt'] as const),
  ...(['email_claim', 'given_name_claim', 'family_name_claim'] as const),
] as const;

type ProviderColumns = Pick<
  SsoConnectionEntity,
  'type' | 'issuer' | 'clientId' | 'tokenEndpointAuthMethod' | 'sealedSecrets' | 'saml'
>;

/**
 * Builds the columns that identify a connection's provider, from the fields that administrators
 * send.
 */
@Injectable()
export class SsoProviderFields {
  constructor(
    private readonly secrets: Secrets,
    private readonly reader: SamlSettingsReader,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /** Returns the columns of a new connection. Throws `invalid_request` naming the field. */
  async created(id: string, input: SsoConnectionFields): Promise<ProviderColumns> {
    if (input.type === 'saml') return this.createdSaml(id, input);
    const { issuer, client_id: clientId } = input;
    if (input.saml !== undefined) throw invalid('saml', 'saml needs type saml');
    if (issuer === undefined) throw invalid('issuer', 'issuer is required');
    if (clientId === undefined) throw invalid('client_id', 'client_id is required');
    this.assertIssuer(issuer);
    const secrets = { clientSecret: input.client_secret ?? null, keys: await keysIn(input.jwks) };
    return {
      ...{ type: 'oidc', issuer, clientId, saml: null },
      tokenEndpointAuthMethod: methodOf(input.token_endpoint_auth_method, secrets),
      sealedSecrets: sealSecrets(this.secrets.sealingKeyring, id, secrets),
    };
  }

  /** Reads the metadata of a change, before its transaction. */
  async metadata({ saml }: UpdateSsoConnectionDto): Promise<IdpMetadata | null> {
    return saml === undefined ? null : this.reader.metadata(saml);
  }

  async updated(
    row: SsoConnectionEntity,
    input: UpdateSsoConnectionDto,
    metadata: IdpMetadata | null,
  ): Promise<Partial<ProviderColumns>> {
    if (row.saml === null) return this.updatedOidc(row, input);
    refuseOidc(input);
    if (input.saml === undefined) return {};
    const { ownCertificate, ...settings } = row.saml;
    const read = this.reader.settings(input.saml, metadata, { entityId: row.issuer, settings });
    const changed = { issuer: read.entityId, saml: { ...read.settings, ownCertificate } };
    const { samlKey } = readableSecrets(this.secrets.sealingKeyring, row);
    if (samlKey !== undefined) return changed;
    // The key is ours, so one that cannot be opened is replaced; the provider needs the new
    // certificate.
    const renewed = await this.newSamlKey(row.id);
    return {
      ...changed,
      saml: { ...changed.saml, ownCertificate: renewed.ownCertificate },
      sealedSecrets: renewed.sealedSecrets,
    };
  }

  /** Reads metadata without saving it. */
  async preview(input: MetadataPreviewDto): Promise<MetadataPreviewResponse> {
    const read = await this.reader.metadata(input, '');
    if (read === null) throw invalid('metadata_xml', 'metadata_xml or metadata_url is required');
    return {
      entity_id: read.entityId,
      sso_url: read.sso.url,
      sso_binding: read.sso.binding,
      slo_url: read.slo?.url ?? null,
      certificates: toCertificates(read.certificates),
      sign_authn_requests: read.wantsSignedRequests,
      object: 'saml-metadata',
    };
  }

  private async createdSaml(id: string, input: SsoConnectionFields): Promise<ProviderColumns> {
    refuseOidc(input);
    if (input.saml === undefined) throw invalid('saml', 'saml is required with type saml');
    const metadata = await this.reader.metadata(input.saml);
    const { entityId, settings } = this.reader.settings(input.saml, metadata, null);
    const { ownCertificate, sealedSecrets } = await this.newSamlKey(id);
    return {
      ...{ type: 'saml', issuer: entityId, clientId: '', tokenEndpointAuthMethod: 'none' },
      saml: { ...settings, ownCertificate },
      sealedSecrets,
    };
  }

  /** Returns the columns of a new key of ours and its certificate. */
  private async newSamlKey(id: string): Promise<{ ownCertificate: string; sealedSecrets: string | null }> {
    const { privateKey, certificate } = await newKeyWithCertificate(`Tollgate ${id}`);
    const secrets = { clientSecret: null, keys: [], samlKey: privateKey };
    return {
      ownCertificate: certificate,
      sealedSecrets: sealSecrets(this.secrets.sealingKeyring, id, secrets),
    };
  }

  /**
   * Returns the changed columns of an OpenID Connect connection. A new issuer requires its secrets
   * again: a secret is never sent to an address with which it was not saved.
   */
  private async updatedOidc(
    row: SsoConnectionEntity,
    input: UpdateSsoConnectionDto,
  ): Promise<Partial<ProviderColumns>> {
    if (input.saml !== undefined) throw invalid('saml', 'saml is only for connections of type saml');
    if (OF_PROVIDER.every((name) => input[name] === undefined)) return {};
    const { issuer = row.issuer, client_id: clientId = row.clientId } = input;
    const isMoved = issuer !== row.issuer;
    if (isMoved) this.assertIssuer(issuer);
    const before = isMoved
      ? { clientSecret: null, keys: [] }
      : readableSecrets(this.secrets.sealingKeyring, row);
    const secrets = {
      clientSecret: input.client_secret === undefined ? before.clientSecret : input.client_secret,
      keys: input.jwks === undefined ? before.keys : await keysIn(input.jwks),
    };
    const method = input.token_endpoint_auth_method ?? row.tokenEndpointAuthMethod;
    return {
      ...{ issuer, clientId },
      tokenEndpointAuthMethod: methodOf(method, secrets),
      sealedSecrets: sealSecrets(this.secrets.sealingKeyring, row.id, secrets),
    };
  }

  private assertIssuer(issuer: string): void {
    const verdict = this.addresses.checkUrl(issuer);
    if (!verdict.ok) throw invalid('issuer', verdict.rule);
    if (!isSecureUrl(issuer)) throw invalid('issuer', 'issuer must be https');
    if (/[?#]/.test(issuer)) throw invalid('issuer', 'issuer must have no query and no fragment');
    if (/[{}]/.test(issuer)) throw invalid('issuer', 'issuer must name a tenant, not a template');
  }
}

function refuseOidc(input: UpdateSsoConnectionDto): void {
  const name = ONLY_OIDC.find((each) => input[each] !== undefined);
  if (name !== undefined) throw invalid(name, `${name} is only for connections of type oidc`);
}

/**
 * Returns the authentication method; keys without a method mean `private_key_jwt`. Throws for a
 * method whose secret is missing.
 */
function methodOf(
  method: TokenEndpointAuthMethod | null | undefined,
  { clientSecret, keys }: SsoSecrets,
): TokenEndpointAuthMethod {
  const chosen = method ?? (keys.length > 0 ? 'private_key_jwt' : 'client_secret_basic');
  if (chosen === 'private_key_jwt' && keys.length === 0)
    throw invalid('jwks', 'private_key_jwt needs jwks with a private key');
  if (chosen.startsWith('client_secret') && clientSecret === null) {
    throw invalid('client_secret', `${chosen} needs client_secret`);
  }
  return chosen;
}

/** Returns the keys of a set. Throws for a key with which a login could not sign. */
async function keysIn(jwks: { readonly keys?: unknown } | null | undefined): Promise<readonly PrivateJwk[]> {
  if (jwks === null || jwks === undefined) return [];
  const { keys } = jwks;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX) {
    throw invalid('jwks', `jwks must have 1 to ${String(KEYS_MAX)} keys`);
  }
  for (const [index, key] of keys.entries()) {
    if (await canSign(key)) continue;
    throw invalid(
      `jwks.keys.${String(index)}`,
      'must be a private RSA key of 2,048 bits or more, or on P-256 or P-384',
    );
  }
  return keys as readonly PrivateJwk[];
}

async function canSign(key: unknown): Promise<boolean> {
  if (!isObject(key) || (key['kid'] !== undefined && typeof key['kid'] !== 'string')) return false;
  try {
    await signingKey(key as PrivateJwk);
    return true;
  } catch {
    return false;
  }
}
