import { isAwsSigned } from './aws-signature';
import { StubProvider, type RecordedRequest, type StubResponse } from './stub-provider';

/** Credentials that the stub accepts. */
export const STUB_ACCESS = {
  awsKeyId: 'AKIDSTUB00000000TEST',
  awsSecret: 'stub+aws/secret0123456789',
  azureClient: 'stub-client',
  azureSecret: 'stub-azure-secret~0123456789',
  vaultToken: 'hvs.stubtoken0123456789',
  vaultRole: 'stub-role-id',
  vaultSecretId: 'stub-secret-id-0123456789',
  kubernetesToken: 'stub.service.account',
} as const;

const ROLE = { id: 'ASIASTUB00000000ROLE', secret: 'stub+role/secret', token: 'stub-session-token' };
const AWS_KEYS = {
  [STUB_ACCESS.awsKeyId]: { secret: STUB_ACCESS.awsSecret },
  [ROLE.id]: { secret: ROLE.secret, token: ROLE.token },
};
const AZURE_TOKEN = 'stub-azure-access-token';

/**
 * A stub of AWS Secrets Manager with STS, Azure Key Vault with Entra and the identity service, and
 * HashiCorp Vault, on one loopback address. It implements reading secrets, and authenticates
 * callers like the real services, including signatures.
 */
export class StubSecretManagers {
  /** Values of secrets by path or name; for Vault, JSON objects. */
  readonly secrets = new Map<string, string>();
  /** Response to every request while it is not null. */
  outage: StubResponse | null = null;

  private constructor(readonly stub: StubProvider) {
    stub.respond((request) => this.outage ?? this.respond(request));
  }

  static async start(): Promise<StubSecretManagers> {
    return new StubSecretManagers(await StubProvider.start());
  }

  get origin(): string {
    return this.stub.origin;
  }

  /** Number of requests for secrets, without logins. */
  get reads(): number {
    return this.stub.requests.filter(({ url, headers }) => {
      const isLogin = url.includes('/login') || url.includes('/token') || url.includes('/identity');
      const isSts = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
      return !isLogin && !isSts;
    }).length;
  }

  stop(): Promise<void> {
    return this.stub.stop();
  }

  private respond(request: RecordedRequest): StubResponse {
    const { url, headers } = request;
    if (headers['x-amz-target'] === 'secretsmanager.GetSecretValue') return this.aws(request);
    if (url === '/' && request.method === 'POST') return sts(request);
    if (url.endsWith('/oauth2/v2.0/token')) return entra(request);
    if (url.startsWith('/identity')) return identity(request);
    if (url.startsWith('/secrets/')) return this.azure(request);
    if (url.startsWith('/v1/auth/')) return vaultLogin(request);
    return url.startsWith('/v1/') ? this.vault(request) : { status: 404 };
  }

  private aws(request: RecordedRequest): StubResponse {
    if (!isAwsSigned(request, 'secretsmanager', AWS_KEYS)) {
      return { status: 400, body: { __type: 'UnrecognizedClientException', message: 'no' } };
    }
    const { SecretId: id } = JSON.parse(request.body.toString()) as { SecretId: string };
    const text = this.secrets.get(id);
    if (text === undefined) return { status: 400, body: { __type: 'ResourceNotFoundException' } };
    return { body: { Name: id, VersionStages: ['AWSCURRENT'], SecretString: text } };
  }

  private azure({ url, headers }: RecordedRequest): StubResponse {
    if (headers['authorization'] !== `Bearer ${AZURE_TOKEN}`) return { status: 401 };
    const { pathname, searchParams } = new URL(url, this.origin);
    const value = this.secrets.get(pathname.slice('/secrets/'.length));
    if (value === undefined || !searchParams.has('api-version')) return { status: 404 };
    return { body: { value, id: `${this.origin}${pathname}/1` } };
  }

  private vault({ url, headers }: RecordedRequest): StubResponse {
    const namespace = headers['x-vault-namespace'];
    if (headers['x-vault-token'] !== STUB_ACCESS.vaultToken) {
      return { status: 403, body: { errors: ['permission denied'] } };
    }
    const path = decodeURIComponent(url.slice('/v1/'.length));
    const text = this.secrets.get(namespace === undefined ? path : `${String(namespace)}:${path}`);
    if (text === undefined) return { status: 404, body: { errors: [] } };
    const data = JSON.parse(text) as object;
    const isVersioned = path.includes('/data/');
    return { body: { data: isVersioned ? { data, metadata: { version: 1 } } : data } };
  }
}

function sts(request: RecordedRequest): StubResponse {
  const form = new URLSearchParams(request.body.toString());
  const isKnown =
    form.get('Action') === 'AssumeRole'
      ? isAwsSigned(request, 'sts', AWS_KEYS)
      : form.get('WebIdentityToken') === STUB_ACCESS.kubernetesToken;
  if (!isKnown || form.get('RoleArn')?.startsWith('arn:aws:iam::') !== true) {
    return { status: 403, body: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>' };
  }
  const credentials =
    `<AccessKeyId>${ROLE.id}</AccessKeyId><SecretAccessKey>${ROLE.secret}</SecretAccessKey>` +
    `<SessionToken>${ROLE.token}</SessionToken>`;
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<AssumeRoleResponse><AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  };
}

function entra({ url, body }: RecordedRequest): StubResponse {
  const form = new URLSearchParams(body.toString());
  const isKnown =
    url === '/stub-tenant/oauth2/v2.0/token' &&
    form.get('grant_type') === 'client_credentials' &&
    form.get('client_id') === STUB_ACCESS.azureClient &&
    form.get('client_secret') === STUB_ACCESS.azureSecret &&
    form.get('scope') === 'https://vault.azure.net/.default';
  return isKnown
    ? { body: { token_type: 'Bearer', expires_in: 3599, access_token: AZURE_TOKEN } }
    : { status: 400, body: { error: 'invalid_client' } };
}

function identity({ url, headers }: RecordedRequest): StubResponse {
  const resource = new URL(url, 'http://stub').searchParams.get('resource');
  const isKnown = headers['metadata'] === 'true' && resource === 'https://vault.azure.net';
  return isKnown ? { body: { access_token: AZURE_TOKEN, resource } } : { status: 400 };
}

function vaultLogin({ url, body }: RecordedRequest): StubResponse {
  const form = JSON.parse(body.toString()) as Readonly<Record<string, string>>;
  const isKnown = url.startsWith('/v1/auth/approle')
    ? form['role_id'] === STUB_ACCESS.vaultRole && form['secret_id'] === STUB_ACCESS.vaultSecretId
    : form['role'] === 'stub' && form['jwt'] === STUB_ACCESS.kubernetesToken;
  return isKnown
    ? { body: { auth: { client_token: STUB_ACCESS.vaultToken, lease_duration: 60 } } }
    : { status: 400, body: { errors: ['invalid role or secret ID'] } };
}
