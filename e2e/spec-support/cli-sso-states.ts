import { generateKeyPairSync } from 'node:crypto';
import { OrganisationDomainEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { TestAdminApi } from '../../apps/admin-api/src/spec-support/admin-api';
import { IDP_CERTIFICATE } from '../../apps/admin-api/src/spec-support/sso-connections';

/** Returns the domain of an organisation. */
export const domainOf = (organisationId: string): string => `${organisationId}.example`;

/** Connections of single sign-on with every member that a file may have. */
export const ssoConnectionsOf = (organisationId: string) => [
  {
    name: 'Okta',
    issuer: 'https://acme.okta.example',
    client_id: '0oa1b2c3',
    client_secret: { env: 'OKTA' },
    token_endpoint_auth_method: 'client_secret_post',
    scopes: ['groups'],
    domains: [domainOf(organisationId)],
    trust_email: true,
    enforced: true,
    max_age: 3_600,
    max_session_ttl: 7_200,
    acr_values: ['phr'],
    prompt: 'login',
    email_claim: 'upn',
    given_name_claim: 'first',
    family_name_claim: 'last',
    auto_provision: false,
    disable_auto_provision_user: true,
    default_workspaces: [{ workspace: 'search', role: 'member' }],
    groups_claim: 'teams',
    group_rules: [
      { match: 'exact', value: 'staff', workspace: 'search', role: 'manager' },
      { match: 'prefix', value: 'admins-', role: 'admin' },
    ],
    remove_mapped: true,
    status: 'disabled',
  },
  {
    name: 'Entra',
    issuer: 'https://login.entra.example/tenant',
    client_id: 'tollgate',
    jwks: { env: 'ENTRA_JWKS' },
  },
  {
    name: 'ADFS',
    type: 'saml',
    saml: {
      entity_id: 'http://adfs.acme.example/services/trust',
      sso_url: 'https://adfs.acme.example/ls',
      sso_binding: 'post',
      slo_url: 'https://adfs.acme.example/logout',
      slo_binding: 'post',
      certificates: [`${IDP_CERTIFICATE}\n`],
      sign_authn_requests: true,
      allow_idp_initiated: true,
      force_authn: true,
      lenient_destination: true,
      enforce_cert_dates: true,
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      authn_context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      email_attribute: 'mail',
      given_name_attribute: 'first',
      family_name_attribute: 'last',
    },
  },
];

/** Returns a key set with a private key, as in the variable of `jwks`. */
export function keySet(kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid }] });
}

/** Inserts a verified domain, because specs have no name server for a TXT record. */
export async function insertVerifiedDomain(
  { dataSource }: TestAdminApi,
  organisationId: string,
): Promise<void> {
  await dataSource.manager.insert(OrganisationDomainEntity, {
    ...{ id: uuidv7(), organisationId, domain: domainOf(organisationId), token: 'x', verifiedAt: new Date() },
  });
}
