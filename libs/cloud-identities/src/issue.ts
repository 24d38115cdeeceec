import { createHash } from 'node:crypto';
import type { CloudIdentity, WorkloadToken } from '@gw/contracts';
import { propertyOf, textOf, VendorError } from '@gw/kernel';
import { ownAwsKeys } from './aws-own';
import { assumeRole, assumeRoleWithToken } from './aws-sts';
import { entraToken, entraTokenFor, managedToken, resourceOf, workloadToken } from './azure';
import { externalAccountOf } from './external-account';
import { exchangedToken, googleOwnToken, serviceAccountToken } from './google';
import { oauthToken } from './oauth';
import type { IdentityTools, Issued } from './tools';
import { subjectToken } from './workload';

/** The workspace for which a credential is issued. */
export interface Issuing {
  readonly workspaceId: string;
  /** Whether the identity of the installation may be used. */
  readonly mayUseOwn: boolean;
}

type Of<K extends CloudIdentity['kind']> = Extract<CloudIdentity, { kind: K }>;

/** Gets a new credential. Not cached; see `IssuedCredentials`. @throws VendorError */
export async function issue(
  identity: CloudIdentity,
  issuing: Issuing,
  tools: IdentityTools,
): Promise<Issued> {
  switch (identity.kind) {
    case 'oauth_client':
      return oauthToken(identity.client, tools);
    case 'google_key':
      return googleKeyToken(identity.json, issuing, tools);
    case 'google_own':
      return googleOwnToken(tools);
    case 'google_workload':
      return googleWorkloadToken(identity, tools);
    case 'aws_own':
      return ownAwsKeys(identity.region, tools);
    case 'aws_role':
      return roleKeys(identity, issuing, tools);
    case 'aws_workload':
      return workloadKeys(identity, issuing, tools);
    case 'entra_client':
      return entraToken(identity, tools);
    case 'azure_own':
      return managedToken(resourceOf(identity.scope), identity.clientId, tools);
    case 'azure_workload':
      return azureWorkloadToken(identity, tools);
  }
}

/**
 * Gets a token with a key file: a service account's, or one that names the installation's workload.
 */
function googleKeyToken(json: string, { mayUseOwn }: Issuing, tools: IdentityTools): Promise<Issued> {
  if (propertyOf(json, 'type') !== 'external_account') return serviceAccountToken(json, tools);
  if (!mayUseOwn) throw new VendorError('refused', OWN_REFUSED);
  const { audience, serviceAccount, token } = externalAccountOf(json);
  return googleWorkloadToken({ serviceAccount, token: { ...token, audience } }, tools);
}

/** Message for an integration that may not use the identity of the installation. */
export const OWN_REFUSED =
  'The identity of the installation is not for integrations; the operator allows it with ALLOW_AMBIENT_CLOUD_CREDENTIALS.';

async function googleWorkloadToken(
  { serviceAccount, token }: Pick<Of<'google_workload'>, 'serviceAccount' | 'token'>,
  tools: IdentityTools,
): Promise<Issued> {
  const audience = textOf(token.audience, 'wif_audience');
  const subject = await subjectToken(token, audience, tools);
  return exchangedToken(
    { audience, subjectToken: subject.token, subjectTokenType: subject.type, serviceAccount },
    tools,
  );
}

/**
 * Gets keys of a role. The workspace is the external id, so that no tenant can use another's role.
 */
async function roleKeys(
  { region, roleArn }: Of<'aws_role'>,
  { workspaceId }: Issuing,
  tools: IdentityTools,
): Promise<Issued> {
  const { credential } = await ownAwsKeys(region, tools);
  if (credential.kind !== 'aws') throw new VendorError('refused', 'The installation has no keys of AWS.');
  const role = { region, roleArn, sessionName: sessionName(workspaceId) };
  return assumeRole(role, workspaceId, credential.keys, tools);
}

async function workloadKeys(
  { region, roleArn, token }: Of<'aws_workload'>,
  { workspaceId }: Issuing,
  tools: IdentityTools,
): Promise<Issued> {
  const subject = await jwtOf(token, token.audience ?? 'sts.amazonaws.com', tools);
  return assumeRoleWithToken({ region, roleArn, sessionName: sessionName(workspaceId) }, subject, tools);
}

const sessionName = (workspaceId: string): string => `tollgate-${workspaceId}`.slice(0, 64);

async function azureWorkloadToken(
  { tenant, clientId, scope, token }: Of<'azure_workload'>,
  tools: IdentityTools,
): Promise<Issued> {
  if (token === null) return workloadToken({ tenant, clientId, scope }, tools);
  const assertion = await jwtOf(token, token.audience ?? 'api://AzureADTokenExchange', tools);
  const application = {
    tenant: textOf(tenant, 'azure_entra_tenant_id'),
    clientId: textOf(clientId, 'azure_entra_client_id'),
    scope,
  };
  return entraTokenFor(application, assertion, tools);
}

async function jwtOf(token: WorkloadToken, audience: string, tools: IdentityTools): Promise<string> {
  if (token.source === 'aws')
    throw new VendorError(
      'invalid',
      'wif_token_source aws is for Google alone; use file, gcp_metadata or azure_imds.',
    );
  return (await subjectToken(token, audience, tools)).token;
}

/**
 * Returns the cache key of an identity: equal identities of one workspace share a credential. The
 * key includes `mayUseOwn`, so that a credential of the installation is never used without
 * permission.
 */
export const identityKey = (identity: CloudIdentity, { workspaceId, mayUseOwn }: Issuing): string =>
  createHash('sha256')
    .update(JSON.stringify([workspaceId, mayUseOwn, identity]))
    .digest('base64url');
