import { OrganisationUserEntity, type SsoConnectionEntity } from '@gw/entities';
import type { OidcIdentity } from '@gw/federation';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { membershipsIn } from '../accounts/memberships';
import { AuditRecorder, type AuditCaller } from '../unit-of-work/audit-recorder';
import { Write } from '../unit-of-work/writes';
import { OidcClients } from './oidc-clients.service';
import { SamlProviders } from './saml-providers.service';
import { SsoFlows } from './sso-flows';
import type { SsoTestResponse } from './sso-tests.dto';
import { SsoUsers } from './sso-users.service';

type Outcome = Pick<SsoTestResponse, 'admitted' | 'reason' | 'organisation_role' | 'workspaces'>;

/** Carries the outcome of a test out of its transaction, which is rolled back. */
class RolledBack extends Error {
  constructor(readonly outcome: Outcome) {
    super('The test has ended.');
  }
}

/**
 * Test logins that show administrators what a connection does and open no session. Disabled
 * connections can be tested too.
 */
@Injectable()
export class SsoTests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clients: OidcClients,
    private readonly flows: SsoFlows,
    private readonly users: SsoUsers,
    private readonly audits: AuditRecorder,
    private readonly saml: SamlProviders,
  ) {}

  /**
   * Starts a test and returns the address to open in a browser. Throws `sso_login_refused` when the
   * provider cannot be used.
   */
  async begin(connection: SsoConnectionEntity): Promise<string> {
    if (connection.type === 'saml') return this.beginSaml(connection);
    const { url, flow } = await this.clients.use(connection, (client) => client.begin(null));
    await this.flows.keep(connection.id, flow.state, { protocol: flow, returnPath: '/', isTest: true });
    return url;
  }

  private async beginSaml(connection: SsoConnectionEntity): Promise<string> {
    const { url, fields, state, protocol } = this.saml.begin(connection);
    if (fields !== null) throw invalid('connectionId', 'a test needs a provider with HTTP-Redirect');
    await this.flows.keep(connection.id, state, { protocol, returnPath: '/', isTest: true });
    return url;
  }

  /** Processes the identity from the provider as a login would, and rolls back all changes. */
  async judge(
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
    caller: AuditCaller,
  ): Promise<SsoTestResponse> {
    const outcome = await this.outcomeOf(connection, identity, caller);
    const { subject, email, isEmailVerified, groups } = identity;
    const after = {
      sso_client_id: connection.id,
      subject,
      admitted: outcome.admitted,
      reason: outcome.reason,
    };
    await this.audits.record(this.dataSource.manager, caller, [
      { action: 'test', resourceType: 'sso_connections', resourceId: connection.id, after },
    ]);
    return {
      ...outcome,
      subject,
      email,
      email_verified: isEmailVerified,
      groups: groups.names,
      object: 'sso-test',
    };
  }

  private async outcomeOf(
    connection: SsoConnectionEntity,
    identity: OidcIdentity,
    caller: AuditCaller,
  ): Promise<Outcome> {
    try {
      return await this.dataSource.transaction(async (manager): Promise<never> => {
        const userId = await this.users.userOf(new Write(manager, caller), connection, identity);
        throw new RolledBack(await rightsOf(manager, connection.organisationId, userId));
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.outcome;
      if (!(error instanceof GatewayError)) throw error;
      return { admitted: false, reason: error.message, organisation_role: null, workspaces: [] };
    }
  }
}

async function rightsOf(manager: EntityManager, organisationId: string, userId: string): Promise<Outcome> {
  const { role } = await manager.findOneByOrFail(OrganisationUserEntity, { organisationId, userId });
  const memberships = await membershipsIn(manager, organisationId, [userId]);
  return {
    admitted: true,
    reason: null,
    organisation_role: role,
    workspaces: memberships.map((each) => ({ workspace: each.workspaceId, role: each.role })),
  };
}
