import { OrganisationEntity, SsoConnectionEntity, SsoFlowEntity, SsoSessionEntity } from '@gw/entities';
import type { OidcFlow, OidcIdentity } from '@gw/federation';
import { GatewayError, networkOf } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { domainOf, organisationsOfAddress } from '../accounts/verified-domains';
import type { LoginDto, SsoConnectionChoice, SsoRedirectResponse, TokenResponse } from '../auth/auth.dto';
import { FailureThrottle } from '../auth/failure-throttle';
import { SessionsService } from '../auth/sessions.service';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { OidcClients } from './oidc-clients.service';
import type { FinishedLogin } from './login-ends';
import { returnPathOf } from './return-path';
import { ssoCaller, SsoAttempts } from './sso-attempts';
import { SamlProviders, type BegunLogin } from './saml-providers.service';
import { expired, invalidCode, SsoFlows, type KeptLogin } from './sso-flows';
import type { SsoTestResponse } from './sso-tests.dto';
import { SsoTests } from './sso-tests.service';
import { assertActive, assertMember, refused, SsoUsers } from './sso-users.service';

/**
 * Maximum number of logins that one network, which may be an office of many users, starts per
 * minute: anyone can start a login, and each is stored for ten minutes.
 */
const STARTS_MAX = 300;

/**
 * Logins at identity providers: starts them, handles the returning browser, and opens the session
 * for the client that started them.
 */
@Injectable()
export class SsoLogins {
  private readonly starts = new FailureThrottle(STARTS_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly flows: SsoFlows,
    private readonly clients: OidcClients,
    private readonly users: SsoUsers,
    private readonly tests: SsoTests,
    private readonly sessions: SessionsService,
    private readonly writes: Writes,
    private readonly attempts: SsoAttempts,
    private readonly saml: SamlProviders,
  ) {}

  /**
   * Starts a login at the named connection, else at the first connection of the address's domain.
   * Returns null when there is none, so that a password is needed. `end` is the page or console
   * that started the login and to which the browser returns. Throws `sso_connection_invalid` for a
   * connection that cannot be used, and `rate_limited` after many starts.
   */
  async begin(
    { email, organisation_id: organisationId, sso_client_id: id, return_path: path }: LoginDto,
    request: RequestFacts,
    end: Pick<KeptLogin, 'page' | 'isOfConsole'> = {},
  ): Promise<SsoRedirectResponse | null> {
    const { manager } = this.dataSource;
    const connections =
      id === undefined
        ? await this.connectionsFor(manager, email ?? '', organisationId)
        : [await named(manager, id, organisationId)];
    const [connection] = connections;
    if (connection === undefined) return null;
    const network = networkOf(request.clientIp ?? '');
    this.starts.assertOpen(network);
    this.starts.count(network);
    const caller = ssoCaller(connection.organisationId, null, request);
    const { state, protocol, url, fields } = await this.attempts.record('login', connection, caller, () =>
      this.beginAt(connection, email ?? null),
    );
    const flowDetails = { protocol, returnPath: returnPathOf(path), ...end };
    return {
      ...{ url, fields, type: connection.type },
      login_binding: await this.flows.keep(connection.id, state, flowDetails),
      linked_sso: connections.map(toConnectionChoice),
      object: 'sso-redirect',
    };
  }

  private async beginAt(connection: SsoConnectionEntity, email: string | null): Promise<BegunLogin> {
    if (connection.type === 'saml') return this.saml.begin(connection);
    const { url, flow } = await this.clients.use(connection, (client) => client.begin(email));
    return { url, fields: null, state: flow.state, protocol: flow };
  }

  /**
   * Returns how an address can log in. The result is the same for known and unknown addresses of a
   * domain.
   */
  async choicesFor(
    email: string,
  ): Promise<{ readonly connections: readonly SsoConnectionChoice[]; readonly isEnforced: boolean }> {
    const rows = await this.connectionsFor(this.dataSource.manager, email, undefined);
    return { connections: rows.map(toConnectionChoice), isEnforced: rows.some(({ enforced }) => enforced) };
  }

  /**
   * Handles the query with which the identity provider returns the browser, and returns a code for
   * the session. Each state can be used once. A test login returns its outcome instead. Throws
   * `sso_login_refused` and `user_not_invited`.
   */
  async finish(query: string, request: RequestFacts): Promise<FinishedLogin | SsoTestResponse> {
    const state = new URLSearchParams(query).get('state') ?? '';
    const { flow, connection, isFirst } = await this.flows.takeReturn(state);
    const caller = ssoCaller(connection.organisationId, null, request);
    return this.attempts.record('login', connection, caller, async () => {
      if (!isFirst) throw expired();
      if (connection.type !== 'oidc') throw refused('The login belongs to another kind of connection.');
      const { protocol, isTest = false, ...ends } = this.flows.open(flow);
      if (!isTest) assertActive(connection);
      const identity = await this.clients.use(connection, (client) =>
        client.finish(query, protocol as OidcFlow),
      );
      if (isTest) return this.tests.judge(connection, identity, caller);
      return { ...ends, code: await this.admit(connection, identity, { flow, caller }), binding: null };
    });
  }

  /**
   * Opens the session of a login once, for the client that started it. Throws `unauthenticated`,
   * and `sso_login_refused` when the connection has been disabled since the callback.
   */
  async exchange(code: string, binding: string, request: RequestFacts): Promise<TokenResponse> {
    const { flow, connection, isFirst } = await this.flows.takeExchange(code, binding);
    const { userId } = flow;
    const caller = ssoCaller(connection.organisationId, userId, request);
    return this.attempts.record('login', connection, caller, () => {
      if (!isFirst || userId === null) throw invalidCode();
      assertActive(connection);
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
      const { id, response } = await this.sessions.openFor(write.manager, {
        userId,
        organisationId,
        byPassword: false,
        endsBy: endOf(flow, connection),
      });
      const { subject, providerSession } = flow;
      if (subject !== null) {
        const opened = { sessionId: id, connectionId: connection.id, subject, providerSession };
        await write.manager.insert(SsoSessionEntity, opened);
      }
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

  private admit(
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
    { flow, caller }: { readonly flow: SsoFlowEntity; readonly caller: AuditCaller },
  ): Promise<string> {
    return this.writes.run<string, AuditCaller>(caller, async (write) => {
      const userId = await this.users.userOf(write, connection, identity);
      const { subject, session: providerSession } = identity;
      return this.flows.issueLoginCode(write.manager, flow.stateHash, { userId, subject, providerSession });
    });
  }

  /**
   * Returns the active connections of organisations that have verified the address's domain and
   * assigned it to the connection.
   */
  private async connectionsFor(
    manager: EntityManager,
    email: string,
    organisationId: string | undefined,
  ): Promise<readonly SsoConnectionEntity[]> {
    const domain = domainOf(email);
    const organisations = await organisationsOfAddress(manager, email, organisationId);
    if (domain === null || organisations.length === 0) return [];
    return manager
      .createQueryBuilder(SsoConnectionEntity, 'connection')
      .innerJoin(
        OrganisationEntity,
        'organisation',
        `organisation.id = connection.organisationId AND organisation.status = 'active'`,
      )
      .where(`connection.status = 'active' AND connection.domains @> :domains::jsonb`, {
        domains: JSON.stringify([domain]),
      })
      .andWhere('connection.organisationId IN (:...organisations)', { organisations })
      .orderBy('connection.createdAt')
      .addOrderBy('connection.id')
      .limit(20)
      .getMany();
  }
}

/**
 * Returns the end of a session: the earlier of the provider's session end and the maximum lifetime
 * of the connection; null when only the organisation's lifetime bounds it.
 */
function endOf({ sessionEndsAt }: SsoFlowEntity, { maxSessionTtl }: SsoConnectionEntity): Date | null {
  const configuredEnd = maxSessionTtl === null ? null : new Date(Date.now() + maxSessionTtl * 1_000);
  if (configuredEnd === null || sessionEndsAt === null) return configuredEnd ?? sessionEndsAt;
  return configuredEnd < sessionEndsAt ? configuredEnd : sessionEndsAt;
}

/** Returns a connection as login pages show it. */
export const toConnectionChoice = (row: SsoConnectionEntity): SsoConnectionChoice => ({
  sso_client_id: row.id,
  name: row.name,
  type: row.type,
  organisation_id: row.organisationId,
});

/**
 * Returns the active connection with this id. Throws the same error for an unknown connection, a
 * disabled one and one of another organisation.
 */
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
