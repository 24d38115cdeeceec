import { assertOk, propertyOf, textOf, VendorError } from '@gw/kernel';
import { bearerOf, tokenOf } from './token-response';
import { FORM, type IdentityTools, type Issued } from './tools';

const ENTRA = 'Microsoft Entra';
const IDENTITY_SERVICE = 'The identity service';
const METADATA_SERVICE = 'http://169.254.169.254/metadata/identity/oauth2/token';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Matches a tenant: a GUID or a domain. Another text could change the path of the URL. */
const TENANT = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

export interface EntraApplication {
  readonly tenant: string;
  readonly clientId: string;
  readonly scope: string;
}

/** Gets a token of an application with the application's secret. @throws VendorError */
export const entraToken = (
  application: EntraApplication & { readonly clientSecret: string },
  tools: IdentityTools,
): Promise<Issued> => tokenFor(application, { client_secret: application.clientSecret }, tools);

/**
 * Gets a token of an application in exchange for a token that the application trusts. @throws
 * VendorError
 */
export const entraTokenFor = (
  application: EntraApplication,
  assertion: string,
  tools: IdentityTools,
): Promise<Issued> =>
  tokenFor(application, { client_assertion_type: ASSERTION, client_assertion: assertion }, tools);

async function tokenFor(
  { tenant, clientId, scope }: EntraApplication,
  proof: Readonly<Record<string, string>>,
  { calls, settings, now }: IdentityTools,
): Promise<Issued> {
  if (!TENANT.test(tenant)) throw new VendorError('invalid', 'The Entra tenant must be a GUID or a domain.');
  const form = { grant_type: 'client_credentials', client_id: clientId, scope, ...proof };
  const response = await calls.vendors({
    url: `${settings.AZURE_AUTHORITY_HOST.replace(/\/$/, '')}/${tenant}/oauth2/v2.0/token`,
    method: 'POST',
    headers: FORM,
    body: new URLSearchParams(form).toString(),
  });
  return bearerOf(response, ENTRA, now());
}

/**
 * Gets a token of the machine's managed identity. `resource`: the audience of the token.
 * `clientId`: a user-assigned identity; null: the only or the system-assigned identity. @throws
 * VendorError
 */
export async function managedToken(
  resource: string,
  clientId: string | null,
  { calls, settings, now }: IdentityTools,
): Promise<Issued> {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = settings;
  const url = new URL(endpoint ?? METADATA_SERVICE);
  url.searchParams.set('api-version', endpoint === null ? '2018-02-01' : '2019-08-01');
  url.searchParams.set('resource', resource);
  if (clientId !== null) url.searchParams.set('client_id', clientId);
  const response = await calls.machine({
    url: url.href,
    method: 'GET',
    headers: { metadata: 'true', ...(header === null ? {} : { 'x-identity-header': header }) },
  });
  assertOk(response, IDENTITY_SERVICE);
  const token = tokenOf(propertyOf(response.text, 'access_token'), IDENTITY_SERVICE);
  return {
    credential: { kind: 'bearer', token },
    expiresAt: managedExpiry(propertyOf(response.text, 'expires_on'), now()),
  };
}

/**
 * Reads an expiry in Unix seconds, a number or a text; five minutes from now for the dates of older
 * services.
 */
function managedExpiry(value: unknown, now: number): number {
  const seconds = Number(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : now + 300_000;
}

/**
 * Gets a token of a pod's workload identity. Reads the token file each time, because it is rotated.
 */
export async function workloadToken(
  application: { readonly tenant: string | null; readonly clientId: string | null; readonly scope: string },
  tools: IdentityTools,
): Promise<Issued> {
  const { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_TENANT_ID, AZURE_CLIENT_ID } = tools.settings;
  if (file === null) throw new VendorError('refused', 'The installation has no workload identity of Azure.');
  const tenant = textOf(application.tenant ?? AZURE_TENANT_ID, 'The workload identity');
  const clientId = textOf(application.clientId ?? AZURE_CLIENT_ID, 'The workload identity');
  const assertion = (await tools.readFile(file)).trim();
  return entraTokenFor({ tenant, clientId, scope: application.scope }, assertion, tools);
}

/** Returns the resource of a scope that ends with `/.default`, as identity services expect it. */
export const resourceOf = (scope: string): string => scope.replace(/\.default$/, '');
