import { OrganisationEntity, SsoConnectionEntity, SsoFlowEntity, ssoFlowBinding } from '@gw/entities';
import { OidcFault, type OidcFlow, type OidcIdentity } from '@gw/federation';
import { GatewayError, hashApiKey, randomAlphanumeric, seal, unseal } from '@gw/kernel';
import { describeFault } from '@gw/web';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, LessThan, MoreThan, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import { domainOf, hasVerifiedDomain } from '../accounts/verified-domains';
import type { LoginDto, SsoRedirectResponse, TokenResponse } from '../auth/auth.dto';
import { SessionsService } from '../auth/sessions.service';
import type { RequestFacts } from '../common/principal';
import { AuditRecorder, type AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { OidcClients } from './oidc-clients.service';
import { assertMember, refused, SsoUsers } from './sso-users.service';

const FLOW_MS = 600_000;
const CODE_MS = 60_000;

/** Logins at identity providers: begun here, returned by the browser, and ended by the client that began them. */
@Injectable()
export class SsoLogins {
  private readonly log = new Logger(SsoLogins.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly clients: OidcClients,
    private readonly users: SsoUsers,
    private readonly sessions: SessionsService,
    private readonly secrets: Secrets,
    private readonly writes: Writes,
    private readonly audits: AuditRecorder,
  ) {}

  /**
   * Begins a login: at the connection that is named, else at the first one of the address's domain. Null when there is none, so that a
   * password is needed. Throws `sso_connection_invalid` for a connection that cannot be used.
   */
  async begin(
    { email, organisation_id: organisationId, sso_client_id: id }: LoginDto,
    request: RequestFacts,
  ): Promise<SsoRedirectResponse | null> {
    const { manager } = this.dataSource;
    const connections =
      id === undefined
        ? await this.connectionsFor(manager, email, organisationId)
        : [await named(manager, id, organisationId)];
    const [connection] = connections;
    if (connection === undefined) return null;
    const caller = callerFor(connection.organisationId, null, request);
    const { url, flow } = await this.recorded(connection, caller, () =>
      this.atProvider(connection, (client) => client.begin(email)),
    );
    const binding = randomAlphanumeric(43);
    const stateHash = this.hash(flow.state);
    await manager.delete(SsoFlowEntity, { connectionId: connection.id, expiresAt: LessThan(new Date()) });
    await manager.insert(SsoFlowEntity, {
      stateHash,
      connectionId: connection.id,
      bindingHash: this.hash(binding),
      sealed: seal(this.secrets.sealingKeyring, JSON.stringify(flow), ssoFlowBinding(stateHash)),
      step: 'begun',
      expiresAt: new Date(Date.now() + FLOW_MS),
    });
    return {
      url,
      type: 'oidc',
      login_binding: binding,
      linked_sso: connections.map((each) => ({
        sso_client_id: each.id,
        name: each.name,
        type: 'oidc',
        organisation_id: each.organisationId,
      })),
      object: 'sso-redirect',
    };
  }

  /**
   * Takes what the identity provider has sent the browser back with, and returns a code for the session. Each state can be returned
   * once. Throws `sso_login_refused` and `user_not_invited`.
   */
  async finish(query: string, request: RequestFacts): Promise<{ readonly code: string }> {
    const { manager } = this.dataSource;
    const stateHash = this.hash(new URLSearchParams(query).get('state') ?? '');
    const taken = await manager.update(
      SsoFlowEntity,
      { stateHash, step: 'begun', expiresAt: MoreThan(new Date()) },
      { step: 'returned' },
    );
    const flow = await manager.findOneBy(SsoFlowEntity, { stateHash });
    const ended = refused('The login has expired or was used already; begin again.');
    // A state that was never given out belongs to no organisation, so no audit log can have it.
    if (flow === null) throw ended;
    const connection = await this.connectionOf(flow);
    const caller = callerFor(connection.organisationId, null, request);
    return this.recorded(connection, caller, async () => {
      if (taken.affected !== 1) throw ended;
      if (connection.status !== 'active') throw refused('The connection has been switched off.');
      const kept = JSON.parse(
        unseal(this.secrets.sealingKeyring, flow.sealed, ssoFlowBinding(stateHash)).toString(),
      ) as OidcFlow;
      const identity = await this.atProvider(connection, (client) => client.finish(query, kept));
      return this.admit(connection, identity, { stateHash, caller });
    });
  }

  /** Opens the session of a login, once, for the client that began it. Throws `unauthenticated`. */
  async exchange(code: string, binding: string, request: RequestFacts): Promise<TokenResponse> {
    const { manager } = this.dataSource;
    const codeHash = this.hash(code);
    const taken = await manager.update(
      SsoFlowEntity,
      {
        ...{ codeHash, bindingHash: this.hash(binding), step: 'returned' },
        expiresAt: MoreThan(new Date()),
      },
      { step: 'ended' },
    );
    const flow = await manager.findOneBy(SsoFlowEntity, { codeHash });
    const ended = new GatewayError('unauthenticated', {
      message: 'The code of the login is not valid; begin again.',
    });
    if (flow === null) throw ended;
    const { userId } = flow;
    const connection = await this.connectionOf(flow);
    const caller = callerFor(connection.organisationId, userId, request);
    return this.recorded(connection, caller, () => {
      if (taken.affected !== 1 || userId === null) throw ended;
      return this.open(connection, flow, { userId, caller });
    });
  }

  private open(
    connection: SsoConnectionEntity,
    flow: SsoFlowEntity,
    { userId, caller }: { readonly userId: string; readonly caller: AuditCaller },
  ): Promise<TokenResponse> {
    const { organisationId } = connection;
    return this.writes.run<TokenResponse, AuditCaller>(caller, async (write) => {
      await assertMember(write.manager, connection, userId);
      const { id, response } = await this.sessions.openFor(write.manager, { userId, organisationId });
      write.audit({
        action: 'login',
        resourceType: 'auth',
        resourceId: id,
        after: { sso_client_id: connection.id },
      });
      await write.manager.delete(SsoFlowEntity, { stateHash: flow.stateHash });
      return response;
    });
  }

  private connectionOf({ connectionId: id }: SsoFlowEntity): Promise<SsoConnectionEntity> {
    return this.dataSource.manager.findOneByOrFail(SsoConnectionEntity, { id });
  }

  private async admit(
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
    { stateHash, caller }: { readonly stateHash: string; readonly caller: AuditCaller },
  ): Promise<{ readonly code: string }> {
    const code = randomAlphanumeric(43);
    await this.writes.run<void, AuditCaller>(caller, async (write) => {
      const userId = await this.users.userOf(write, connection, identity);
      const expiresAt = new Date(Date.now() + CODE_MS);
      await write.manager.update(
        SsoFlowEntity,
        { stateHash },
        { userId, codeHash: this.hash(code), expiresAt },
      );
    });
    return { code };
  }

  /** The user learns one sentence; administrators find the check that failed in the audit log. */
  private async atProvider<T>(
    connection: SsoConnectionEntity,
    work: (client: Awaited<ReturnType<OidcClients['of']>>) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await this.clients.of(connection));
    } catch (error) {
      if (!(error instanceof OidcFault)) throw error;
      this.log.warn(
        { connection: connection.id, ...describeFault(error) },
        'a login at an identity provider failed',
      );
      throw new GatewayError('sso_login_refused', { cause: error });
    }
  }

  /** Does a step of a login; one that fails is recorded for the administrators of the organisation. */
  private async recorded<T>(
    connection: SsoConnectionEntity,
    caller: AuditCaller,
    step: () => Promise<T> | T,
  ): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.recordRefusal(connection, caller, error);
      throw error;
    }
  }

  private async recordRefusal(
    connection: SsoConnectionEntity,
    caller: AuditCaller,
    error: unknown,
  ): Promise<void> {
    const reason =
      error instanceof GatewayError
        ? ((error.options.cause as Error | undefined)?.message ?? error.message)
        : 'internal error';
    const { status, type } = error instanceof GatewayError ? error : new GatewayError('internal_error');
    await this.audits.record(this.dataSource.manager, caller, [
      {
        action: 'login',
        resourceType: 'auth',
        resourceId: null,
        after: { sso_client_id: connection.id, reason },
        status,
        errorType: type,
      },
    ]);
  }

  /** Active connections of organisations that have the address's domain verified and send it there. */
  private async connectionsFor(
    manager: EntityManager,
    email: string,
    organisationId: string | undefined,
  ): Promise<readonly SsoConnectionEntity[]> {
    const domain = domainOf(email);
    if (domain === null) return [];
    const rows = await manager
      .createQueryBuilder(SsoConnectionEntity, 'connection')
      .innerJoin(
        OrganisationEntity,
        'organisation',
        `organisation.id = connection.organisationId AND organisation.status = 'active'`,
      )
      .where(`connection.status = 'active' AND connection.domains @> :domains::jsonb`, {
        domains: JSON.stringify([domain]),
      })
      .orderBy('connection.createdAt')
      .addOrderBy('connection.id')
      .limit(20)
      .getMany();
    const own = rows.filter((row) => organisationId === undefined || row.organisationId === organisationId);
    const verified = await Promise.all(
      own.map((row) => hasVerifiedDomain(manager, row.organisationId, email)),
    );
    return own.filter((_, index) => verified[index]);
  }

  private hash(text: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, text);
  }
}

/** The active connection of an id. Throws the same error for an unknown one, another organisation's and one that is off. */
async function named(
  manager: EntityManager,
  id: string,
  organisationId: string | undefined,
): Promise<SsoConnectionEntity> {
  const row = await manager.findOneBy(SsoConnectionEntity, { id, status: 'active' });
  if (row === null || (organisationId !== undefined && row.organisationId !== organisationId)) {
    throw new GatewayError('sso_connection_invalid', { param: 'sso_client_id' });
  }
  return row;
}

const callerFor = (organisationId: string, userId: string | null, request: RequestFacts): AuditCaller => ({
  kind: userId === null ? 'system' : 'session',
  ...{ organisationId, workspaceId: null, userId, apiKeyId: null, request },
});
