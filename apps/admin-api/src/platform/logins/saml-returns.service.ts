import { SsoConnectionEntity, type SsoFlowEntity } from '@gw/entities';
import { groupsIn, type OidcIdentity, type SamlIdentity } from '@gw/federation';
import { randomAlphanumeric } from '@gw/kernel';
import { describeFault } from '@gw/web';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { refusedBy, requestIdOf, SamlProviders } from './saml-providers.service';
import { ssoCaller, SsoAttempts } from './sso-attempts';
import { expired, SsoFlows } from './sso-flows';
import type { FinishedLogin } from './login-ends';
import type { SsoTestResponse } from './sso-tests.dto';
import { SsoTests } from './sso-tests.service';
import { assertActive, SsoUsers } from './sso-users.service';

/** Request of a browser that returns from a SAML identity provider. */
export interface SamlReturn {
  readonly organisationId: string;
  readonly response: string;
  /**
   * RelayState of the request. Content other than the state of a login that the admin API has
   * started is ignored.
   */
  readonly relayState: string;
}

const STATE = /^[0-9A-Za-z]{43}$/;
const REQUEST = /^_([0-9A-Za-z]{43})$/;
const ROOT = '/';

/** Handles browsers that return from SAML identity providers. */
@Injectable()
export class SamlReturns {
  private readonly log = new Logger(SamlReturns.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly flows: SsoFlows,
    private readonly providers: SamlProviders,
    private readonly users: SsoUsers,
    private readonly writes: Writes,
    private readonly attempts: SsoAttempts,
    private readonly tests: SsoTests,
  ) {}

  /**
   * Reads a response and returns a code for the session. Throws `sso_login_refused` and
   * `user_not_invited`.
   */
  async finish(sent: SamlReturn, request: RequestFacts): Promise<FinishedLogin | SsoTestResponse> {
    const claims = this.providers.claimsOf(sent.response);
    const relayed = STATE.test(sent.relayState) ? sent.relayState : null;
    const state = REQUEST.exec(claims?.requestId ?? '')?.[1] ?? (claims === null ? relayed : null);
    if (state !== null) return this.answer(sent, { state, relayed }, request);
    if (claims === null) throw this.unknown('The response cannot be read.');
    return this.handleIdpInitiated(sent, claims.issuer, request);
  }

  /** Handles the response to a request of the admin API. */
  private async answer(
    { organisationId, response }: SamlReturn,
    { state, relayed }: { readonly state: string; readonly relayed: string | null },
    request: RequestFacts,
  ): Promise<FinishedLogin | SsoTestResponse> {
    const { flow, connection, isFirst } = await this.flows.takeReturn(state);
    const caller = ssoCaller(connection.organisationId, null, request);
    return this.attempts.record('login', connection, caller, async () => {
      if (!isFirst) throw expired();
      if (connection.organisationId !== organisationId) {
        throw refusedBy(15, 'The response was sent to another organisation.');
      }
      if (relayed !== null && relayed !== state) throw refusedBy(9, 'RelayState names another login.');
      const { protocol: _protocol, isTest = false, ...ends } = this.flows.open(flow);
      if (!isTest) assertActive(connection);
      const identity = await this.providers.read(connection, response, requestIdOf(state));
      if (isTest) return this.testResultOf(connection, identity, caller);
      return { ...ends, code: await this.admit(connection, identity, { flow, caller }), binding: null };
    });
  }

  /** Handles a login that the identity provider began, if the connection allows that. */
  private async handleIdpInitiated(
    { organisationId, response }: SamlReturn,
    issuer: string | null,
    request: RequestFacts,
  ): Promise<FinishedLogin> {
    const where = { organisationId, issuer: issuer ?? '', type: 'saml' as const };
    const connection = await this.dataSource.manager.findOneBy(SsoConnectionEntity, where);
    if (connection === null) throw this.unknown('The issuer is of no connection of the organisation.');
    const caller = ssoCaller(organisationId, null, request);
    return this.attempts.record('login', connection, caller, async () => {
      assertActive(connection);
      const identity = await this.providers.read(connection, response, null);
      const state = randomAlphanumeric(43);
      const binding = await this.flows.keep(connection.id, state, { protocol: {}, returnPath: ROOT });
      const { flow } = await this.flows.takeReturn(state);
      return { code: await this.admit(connection, identity, { flow, caller }), returnPath: ROOT, binding };
    });
  }

  private async testResultOf(
    connection: SsoConnectionEntity,
    identity: SamlIdentity,
    caller: AuditCaller,
  ): Promise<SsoTestResponse> {
    await this.providers.use(this.dataSource.manager, connection, identity);
    return this.tests.judge(connection, provided(connection, identity), caller);
  }

  private admit(
    connection: SsoConnectionEntity,
    identity: SamlIdentity,
    { flow, caller }: { readonly flow: SsoFlowEntity; readonly caller: AuditCaller },
  ): Promise<string> {
    return this.writes.run<string, AuditCaller>(caller, async (write) => {
      await this.providers.use(write.manager, connection, identity);
      const userId = await this.users.userOf(write, connection, provided(connection, identity));
      const { subject, sessionIndex: providerSession, sessionEndsAt } = identity;
      return this.flows.issueLoginCode(write.manager, flow.stateHash, {
        ...{ userId, subject, providerSession, sessionEndsAt },
      });
    });
  }

  /**
   * Returns the error for a response that belongs to no connection, and logs it, because no audit
   * log can contain it.
   */
  private unknown(message: string): Error {
    const error = refusedBy(15, message);
    this.log.warn(describeFault(error), 'a response by SAML was refused');
    return error;
  }
}

/**
 * Returns the identity in the form that both protocols share. The signature and the verified domain
 * prove the email address.
 */
const provided = (
  { groupsClaim }: SsoConnectionEntity,
  { subject, email, givenName, familyName, attributes, sessionIndex }: SamlIdentity,
): OidcIdentity => ({
  ...{ subject, email, givenName, familyName, session: sessionIndex },
  isEmailVerified: email !== null,
  groups: groupsIn({ [groupsClaim]: attributes.get(groupsClaim) }, groupsClaim),
});
