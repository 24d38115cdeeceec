import type { KeyType, OrganisationRole, WorkspaceRole } from '@gw/auth-scopes';
import { scopesAllowedFor } from '@gw/auth-scopes';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { hashApiKey, randomAlphanumeric, readSettings, uuidv7 } from '@gw/kernel';
import { onceOfRun, testDatabase, type TestDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import type { DataSource } from 'typeorm';
import { createAdminApi, type AdminApi } from '../app';
import type { DatabaseWaits } from '../app.module';
import { hashPassword } from '../platform/auth/passwords';
import { ADMIN_SETTINGS, Secrets, type AdminSettings } from '../settings';
import { DocumentedResponses, ResponseSchemas } from './documented-responses';

export const MASTER_KEY = Buffer.alloc(32, 7);
export const SERVICE_TOKEN = 'service-token-of-the-tests-0123456789';
export const PASSWORD = 'correct horse battery staple';

/**
 * Longer than in production, because on a busy machine this process may get no time for seconds
 * while it holds a lock or a connection. Requests that block each other still fail their test.
 */
const WAITS: DatabaseWaits = {
  statementTimeoutMs: 90_000,
  lockTimeoutMs: 30_000,
  connectTimeoutMs: 30_000,
};

/** Starts an admin API. */
export const startAdminApi = (settings: AdminSettings): Promise<AdminApi> =>
  createAdminApi(settings, createLog('test', 'silent'), WAITS);

export interface GatewayResponse<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: T;
  readonly text: string;
}

export interface Call {
  /** Secret for the header `x-gw-api-key`. */
  readonly key?: string;
  /** Token for the header `Authorization: Bearer`. */
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;

/** Shared by the test files of a worker, since its parts are compiled one by one. */
let schemas: ResponseSchemas | undefined;
/** Hash of `PASSWORD`; computed once, because hashing is slow by design. */
let passwordHash: Promise<string> | undefined;

/**
 * Runs an admin API over a private database, called without a socket. Create it at the top of a
 * `describe`.
 */
export class TestAdminApi {
  private running: AdminApi | undefined;
  private documented: DocumentedResponses | undefined;
  readonly database: TestDatabase;

  /**
   * `environment` may be a function, which is called after other components have started, such as a
   * server whose address it needs.
   */
  constructor(environment: Environment | (() => Promise<Environment>) = {}) {
    this.database = testDatabase();
    beforeAll(async () => {
      const settings = readSettings(ADMIN_SETTINGS, {
        DATABASE_URL: this.database.url,
        DB_POOL_SIZE: '4',
        CONTROL_PLANE_RATE_LIMIT: '0',
        CONSOLE_RATE_LIMIT: '0',
        ENCRYPTION_KEY: MASTER_KEY.toString('base64'),
        SERVICE_TOKEN,
        ...(typeof environment === 'function' ? await environment() : environment),
      });
      this.running = await startAdminApi(settings);
    });
    afterAll(async () => {
      await this.running?.app.close();
    });
  }

  get api(): AdminApi {
    if (!this.running) throw new Error('The admin API is available from beforeAll on.');
    return this.running;
  }

  get responses(): DocumentedResponses {
    schemas ??= new ResponseSchemas(onceOfRun('openapi', () => this.api.document));
    this.documented ??= new DocumentedResponses(schemas);
    return this.documented;
  }

  get dataSource(): DataSource {
    return this.database.dataSource;
  }

  /** Calls the admin API. Throws when a response differs from the OpenAPI document. */
  async call<T = Record<string, unknown>>(
    method: string,
    url: string,
    call: Call = {},
  ): Promise<GatewayResponse<T>> {
    const response = await this.api.app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(call.key === undefined ? {} : { 'x-gw-api-key': call.key }),
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined
        ? {}
        : { payload: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
    });
    const { 'content-type': type, 'content-disposition': disposition } = response.headers;
    const isJson = String(type).startsWith('application/json') && disposition === undefined;
    const body: unknown = isJson && response.payload ? JSON.parse(response.payload) : {};
    if (isJson || !isBrowser(call, response.statusCode))
      this.responses.check(method, url, response.statusCode, body);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: body as T,
      text: response.payload,
    };
  }

  get<T = Record<string, unknown>>(url: string, call: Call = {}): Promise<GatewayResponse<T>> {
    return this.call('GET', url, call);
  }

  post<T = Record<string, unknown>>(url: string, call: Call = {}): Promise<GatewayResponse<T>> {
    return this.call('POST', url, call);
  }

  put<T = Record<string, unknown>>(url: string, call: Call = {}): Promise<GatewayResponse<T>> {
    return this.call('PUT', url, call);
  }

  delete<T = Record<string, unknown>>(url: string, call: Call = {}): Promise<GatewayResponse<T>> {
    return this.call('DELETE', url, call);
  }

  /**
   * Returns the object of a tenant that is created in `beforeAll`; the object can be used
   * immediately.
   */
  sharedTenant(): Tenant {
    const tenant = newTenant();
    beforeAll(() => this.insertTenant(tenant));
    return tenant;
  }

  /**
   * Creates an organisation with its default workspace, and a key of each service type with all
   * scopes it may hold.
   */
  async tenant(): Promise<Tenant> {
    const tenant = newTenant();
    await this.insertTenant(tenant);
    return tenant;
  }

  private async insertTenant({ organisationId, workspaceId, adminKey, key }: Tenant): Promise<void> {
    const slug = `org-${organisationId.slice(-12)}`;
    await this.dataSource.manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug });
    await this.workspace(organisationId, { id: workspaceId, isDefault: true });
    await this.apiKey('organisation-service', { organisationId }, undefined, adminKey);
    await this.apiKey('workspace-service', { organisationId, workspaceId }, undefined, key);
  }

  async workspace(
    organisationId: string,
    fields: Partial<Pick<WorkspaceEntity, 'id' | 'name' | 'slug' | 'isDefault'>> = {},
  ): Promise<string> {
    const { id = uuidv7() } = fields;
    const { name = 'Team', slug = `ws-${id.slice(-12)}`, isDefault = false } = fields;
    await this.dataSource.manager.insert(WorkspaceEntity, { id, organisationId, name, slug, isDefault });
    return id;
  }

  /** Creates a key and returns its secret. Without `scopes` it holds every scope of its type. */
  async apiKey(
    type: Exclude<KeyType, 'jwt'>,
    at: { readonly organisationId: string; readonly workspaceId?: string; readonly userId?: string },
    scopes: readonly string[] = [...scopesAllowedFor(type)],
    secret = newSecret(),
  ): Promise<string> {
    const { manager } = this.dataSource;
    const id = uuidv7();
    const { organisationId, workspaceId = null, userId = null } = at;
    await manager.insert(ApiKeyEntity, {
      id,
      type,
      organisationId,
      workspaceId,
      userId,
      name: type,
      scopes: [...scopes],
    });
    const secretHash = hashApiKey(new Secrets(MASTER_KEY, SERVICE_TOKEN).apiKeyPepper, secret);
    await manager.insert(ApiKeySecretEntity, {
      secretHash,
      apiKeyId: id,
      masked: 'xx*****xxx',
      state: 'current',
    });
    return secret;
  }

  /** Creates a user of the organisation with the password `PASSWORD`. */
  async user(
    organisationId: string,
    role: OrganisationRole,
    memberships: Readonly<Record<string, WorkspaceRole>> = {},
  ): Promise<{ readonly id: string; readonly email: string }> {
    const { manager } = this.dataSource;
    const id = uuidv7();
    const email = `${id}@example.com`;
    passwordHash ??= hashPassword(PASSWORD);
    await manager.insert(UserEntity, {
      id,
      email,
      passwordHash: await passwordHash,
      firstName: 'Ada',
      lastName: 'L',
    });
    await manager.insert(OrganisationUserEntity, { organisationId, userId: id, role });
    for (const [workspaceId, workspaceRole] of Object.entries(memberships)) {
      await manager.insert(WorkspaceUserEntity, { workspaceId, userId: id, role: workspaceRole });
    }
    return { id, email };
  }

  /** Logs in and returns an access token. */
  async login(email: string): Promise<string> {
    const { status, body } = await this.post<{ auth_token: string }>('/v1/auth/login', {
      body: { email, password: PASSWORD },
    });
    if (status !== 200) throw new Error(`The test login responded with ${String(status)}.`);
    return body.auth_token;
  }
}

export interface Tenant {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Key of the type organisation-service. */
  readonly adminKey: string;
  /** Key of the type workspace-service. */
  readonly key: string;
}

const newSecret = (): string => randomAlphanumeric(32);

const newTenant = (): Tenant => ({
  organisationId: uuidv7(),
  workspaceId: uuidv7(),
  adminKey: newSecret(),
  key: newSecret(),
});

/**
 * Whether a browser may get a refusal as a page. The document describes the responses to clients.
 */
const isBrowser = ({ headers }: Call, status: number): boolean =>
  status >= 400 && headers?.['accept'] === 'text/html';
