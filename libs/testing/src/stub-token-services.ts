import { generateKeyPairSync, verify } from 'node:crypto';
import { createAddressPolicy, type VendorCalls } from '@gw/kernel';
import { createVendorCalls } from '@gw/outbound';
import { isAwsSigned } from './aws-signature';
import { StubProvider, type RecordedRequest, type StubResponse } from './stub-provider';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Credentials that the token services accept. */
export const STUB_IDENTITY = {
  oauthClient: 'stub-oauth-client',
  oauthSecret: 'stub-oauth:secret/0123456789',
  entraTenant: '11111111-2222-3333-4444-555555555555',
  entraClient: 'stub-entra-client',
  entraSecret: 'stub-entra-secret~0123456789',
  awsKeyId: 'AKIDSTUB00000000SELF',
  awsSecret: 'stub+own/secret0123456789',
  roleArn: 'arn:aws:iam::123456789012:role/models',
  workloadToken: 'stub.workload.token',
  serviceAccount: 'models@stub-project.iam.gserviceaccount.com',
  pool: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  /** Key file of the service account. */
  keyFile: {
    type: 'service_account',
    project_id: 'stub-project',
    private_key_id: 'stub-key-id',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    client_email: 'models@stub-project.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  },
} as const;

/** Parses an RS256 token, and verifies whether the key of `keyFile` signed it. */
function readSigned(token: string): { readonly isSigned: boolean; readonly claims: Record<string, unknown> } {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${head}.${claims}`);
  return {
    isSigned: verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url')),
    claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>,
  };
}

const ROLE_KEYS = { id: 'ASIASTUB00000000MADE', secret: 'stub+made/secret' };

/**
 * A stub of the token services of AWS, Google and Azure and of an OAuth token endpoint, on one
 * loopback address. It authenticates callers like the real services, including signatures, and
 * numbers the tokens that it issues.
 */
export class StubTokenServices {
  /** Lifetime of issued credentials in seconds. */
  lifetime = 3_600;
  /** Response to every request while it is not null. */
  outage: StubResponse | null = null;
  issued = 0;
  /** Ids of the assertions that were received. */
  private readonly assertions = new Set<string>();

  private constructor(readonly stub: StubProvider) {
    stub.respond((request) => this.outage ?? this.respond(request));
  }

  static async start(): Promise<StubTokenServices> {
    return new StubTokenServices(await StubProvider.start());
  }

  get origin(): string {
    return this.stub.origin;
  }

  /** Settings that make a gateway use these services. */
  get settings() {
    return {
      ALLOW_AMBIENT_CLOUD_CREDENTIALS: 'true',
      AWS_ENDPOINT_URL_STS: this.origin,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: this.origin,
      AZURE_AUTHORITY_HOST: this.origin,
      GCE_METADATA_HOST: new URL(this.origin).host,
      GOOGLE_STS_ENDPOINT: this.origin,
      GOOGLE_IAM_CREDENTIALS_ENDPOINT: this.origin,
      GOOGLE_OAUTH_ENDPOINT: this.origin,
    };
  }

  /** AWS keys that `isAwsSigned` accepts for roles of these services. */
  get roleKeys() {
    return { [ROLE_KEYS.id]: { secret: ROLE_KEYS.secret, token: `session-${String(this.issued)}` } };
  }

  /** Returns vendor calls that may reach these services and `ownEndpoints`. */
  calls(ownEndpoints: readonly (string | null)[]): VendorCalls {
    const policy = createAddressPolicy({ trustedHosts: [new URL(this.origin).hostname] });
    return createVendorCalls({ policy, ownEndpoints });
  }

  stop(): Promise<void> {
    return this.stub.stop();
  }

  private respond(request: RecordedRequest): StubResponse {
    const { url, method } = request;
    if (url.startsWith('/oauth')) return this.oauth(request);
    if (url.endsWith('/oauth2/v2.0/token')) return this.entra(request);
    if (url === '/token') return this.google(request);
    if (url === '/v1/token') return this.exchange(request);
    if (url.endsWith(':generateAccessToken')) return this.impersonate(request);
    if (url.startsWith('/computeMetadata/')) return this.metadata(request);
    if (url.startsWith('/latest/')) return this.machine(request);
    if (url.startsWith('/container')) return this.container(request);
    if (url.startsWith('/identity')) return this.identity(request);
    return url === '/' && method === 'POST' ? this.sts(request) : { status: 404 };
  }

  private bearer(token: string): StubResponse {
    this.issued += 1;
    const access_token = `${token}-${String(this.issued)}`;
    return { body: { token_type: 'Bearer', expires_in: this.lifetime, access_token } };
  }

  private oauth({ body, headers }: RecordedRequest): StubResponse {
    const form = new URLSearchParams(body.toString());
    const [id, secret] =
      headers['authorization'] === undefined
        ? [form.get('client_id'), form.get('client_secret')]
        : basicOf(String(headers['authorization']));
    const isProven =
      form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
        ? this.isAssertion(form.get('client_assertion') ?? '') && !form.has('client_secret')
        : secret === STUB_IDENTITY.oauthSecret;
    const isKnown =
      form.get('grant_type') === 'client_credentials' && id === STUB_IDENTITY.oauthClient && isProven;
    return isKnown ? this.bearer('oauth-token') : { status: 401, body: { error: 'invalid_client' } };
  }

  /**
   * Returns whether the client signed the assertion for the issuer `<origin>/oauth` with the key of
   * `keyFile`, and used it for the first time.
   */
  private isAssertion(assertion: string): boolean {
    const { isSigned, claims } = readSigned(assertion);
    const { iss, sub, aud, exp, jti } = claims;
    const isOfClient = iss === STUB_IDENTITY.oauthClient && sub === iss && aud === `${this.origin}/oauth`;
    const isNew = typeof jti === 'string' && !this.assertions.has(jti);
    this.assertions.add(String(jti));
    return isSigned && isOfClient && isNew && Number(exp) * 1_000 > Date.now();
  }

  private entra({ url, body }: RecordedRequest): StubResponse {
    const form = new URLSearchParams(body.toString());
    const isProven =
      form.get('client_secret') === STUB_IDENTITY.entraSecret ||
      form.get('client_assertion') === STUB_IDENTITY.workloadToken;
    const isKnown =
      url === `/${STUB_IDENTITY.entraTenant}/oauth2/v2.0/token` &&
      form.get('client_id') === STUB_IDENTITY.entraClient &&
      form.get('scope') === 'https://cognitiveservices.azure.com/.default';
    return isKnown && isProven
      ? this.bearer('entra-token')
      : { status: 400, body: { error: 'invalid_client' } };
  }

  private google({ body }: RecordedRequest): StubResponse {
    const form = new URLSearchParams(body.toString());
    const { isSigned, claims } = readSigned(form.get('assertion') ?? '');
    const { iss, aud, scope, iat, exp } = claims;
    const isKnown = iss === STUB_IDENTITY.serviceAccount && aud === 'https://oauth2.googleapis.com/token';
    const isScoped = scope === 'https://www.googleapis.com/auth/cloud-platform';
    // Google accepts lifetimes of at most an hour.
    const isTimely = Number(exp) > Number(iat) && Number(exp) - Number(iat) <= 3_600;
    return isSigned && isKnown && isScoped && isTimely
      ? this.bearer('google-token')
      : { status: 400, body: { error: 'invalid_grant' } };
  }

  private exchange({ body }: RecordedRequest): StubResponse {
    const form = new URLSearchParams(body.toString());
    const token = form.get('subject_token') ?? '';
    const isKnown = form.get('subject_token_type')?.endsWith(':jwt')
      ? token === STUB_IDENTITY.workloadToken
      : this.isSignedIdentity(token);
    return isKnown && form.get('audience') === STUB_IDENTITY.pool
      ? this.bearer('federated-token')
      : { status: 400, body: { error: 'invalid_grant' } };
  }

  /**
   * The token is a signed request to STS, which the real service would send to learn the caller's
   * identity.
   */
  private isSignedIdentity(token: string): boolean {
    const parsed = JSON.parse(decodeURIComponent(token)) as {
      url: string;
      method: string;
      headers: readonly { readonly key: string; readonly value: string }[];
    };
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key.toLowerCase(), value]));
    const { pathname, search } = new URL(parsed.url);
    const request = { method: parsed.method, url: pathname + search, headers, body: Buffer.alloc(0) };
    return (
      headers['x-goog-cloud-target-resource'] === STUB_IDENTITY.pool &&
      isAwsSigned(request as unknown as RecordedRequest, 'sts', OWN_KEYS)
    );
  }

  private impersonate({ url, headers }: RecordedRequest): StubResponse {
    const isKnown =
      String(headers['authorization']).startsWith('Bearer federated-token-') &&
      url.includes(encodeURIComponent(STUB_IDENTITY.serviceAccount));
    if (!isKnown) return { status: 403 };
    this.issued += 1;
    return { body: { accessToken: `account-token-${String(this.issued)}`, expireTime: this.end() } };
  }

  private metadata({ url, headers }: RecordedRequest): StubResponse {
    if (headers['metadata-flavor'] !== 'Google') return { status: 403 };
    return url.endsWith('/token') ? this.bearer('metadata-token') : { body: STUB_IDENTITY.workloadToken };
  }

  private machine({ url, method, headers }: RecordedRequest): StubResponse {
    if (url === '/latest/api/token') return method === 'PUT' ? { body: 'imds-session' } : { status: 405 };
    if (headers['x-aws-ec2-metadata-token'] !== 'imds-session') return { status: 401 };
    return url.endsWith('/security-credentials/') ? { body: 'machine-role' } : { body: this.keys() };
  }

  private container({ headers }: RecordedRequest): StubResponse {
    return headers['authorization'] === STUB_IDENTITY.workloadToken ? { body: this.keys() } : { status: 403 };
  }

  private keys() {
    this.issued += 1;
    return {
      AccessKeyId: ROLE_KEYS.id,
      SecretAccessKey: ROLE_KEYS.secret,
      Token: `session-${String(this.issued)}`,
      Expiration: this.end(),
    };
  }

  private identity({ url, headers }: RecordedRequest): StubResponse {
    const resource = new URL(url, this.origin).searchParams.get('resource');
    if (headers['metadata'] !== 'true' || resource === null) return { status: 400 };
    if (resource !== 'https://cognitiveservices.azure.com/')
      return { body: { access_token: STUB_IDENTITY.workloadToken, expires_on: this.endSeconds() } };
    this.issued += 1;
    return {
      body: { access_token: `managed-token-${String(this.issued)}`, expires_on: this.endSeconds() },
    };
  }

  private sts(request: RecordedRequest): StubResponse {
    const form = new URLSearchParams(request.body.toString());
    const isKnown =
      form.get('Action') === 'AssumeRole'
        ? isAwsSigned(request, 'sts', OWN_KEYS) && /^[0-9a-f-]{36}$/.test(form.get('ExternalId') ?? '')
        : form.get('WebIdentityToken') === STUB_IDENTITY.workloadToken;
    if (!isKnown || form.get('RoleArn') !== STUB_IDENTITY.roleArn)
      return { status: 403, body: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>' };
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = this.keys();
    return {
      headers: { 'content-type': 'text/xml' },
      body:
        `<R><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId>` +
        `<SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${Token}</SessionToken>` +
        `<Expiration>${Expiration}</Expiration></Credentials></R>`,
    };
  }

  private end(): string {
    return new Date(Date.now() + this.lifetime * 1_000).toISOString();
  }

  private endSeconds(): string {
    return String(Math.floor(Date.now() / 1_000) + this.lifetime);
  }
}

const OWN_KEYS = { [STUB_IDENTITY.awsKeyId]: { secret: STUB_IDENTITY.awsSecret } };

function basicOf(authorization: string): readonly string[] {
  const decoded = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  return decoded.split(':', 2).map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
}
