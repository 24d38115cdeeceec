import { SsoConnectionEntity, SsoFlowEntity, ssoFlowBinding } from '@gw/entities';
import { GatewayError, hashApiKey, randomAlphanumeric, seal, unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan, MoreThan, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import { refused } from './sso-users.service';

const FLOW_MS = 600_000;
const CODE_MS = 60_000;

/** State of a login that is stored until the browser returns. */
export interface KeptLogin {
  /** Protocol state with which the provider's response is checked. */
  readonly protocol: object;
  /** Path of the console to which the login returns. */
  readonly returnPath: string;
  /** Path and query of the admin API's page that began the login; absent when a client began it. */
  readonly page?: string;
  /** True when a console of this installation began the login. */
  readonly isOfConsole?: boolean;
  /** True for a test login, which only shows what a login would do. */
  readonly isTest?: boolean;
}

/** User whom a provider has identified, with its session at the provider. */
export interface ProvedUser {
  readonly userId: string;
  readonly subject: string;
  readonly providerSession: string | null;
  /** End of that session, if the provider reports it. */
  readonly sessionEndsAt?: Date | null;
}

/**
 * A step of a login. `isFirst` is false when the step was already taken, came too late, or was
 * taken by another client.
 */
export interface TakenStep {
  readonly flow: SsoFlowEntity;
  readonly connection: SsoConnectionEntity;
  readonly isFirst: boolean;
}

/**
 * Stores logins that are in progress. Each step of a login is taken once, even when several
 * processes try at the same time.
 */
@Injectable()
export class SsoFlows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Stores a login under its state. Returns the binding, a secret of the client that began the
   * login.
   */
  async keep(connectionId: string, state: string, kept: KeptLogin): Promise<string> {
    const { manager } = this.dataSource;
    const binding = randomAlphanumeric(43);
    const stateHash = this.hash(state);
    await manager.delete(SsoFlowEntity, { connectionId, expiresAt: LessThan(new Date()) });
    await manager.insert(SsoFlowEntity, {
      ...{ stateHash, connectionId, step: 'begun', bindingHash: this.hash(binding) },
      sealed: seal(this.secrets.sealingKeyring, JSON.stringify(kept), ssoFlowBinding(stateHash)),
      expiresAt: new Date(Date.now() + FLOW_MS),
    });
    return binding;
  }

  open({ sealed, stateHash }: SsoFlowEntity): KeptLogin {
    const text = unseal(this.secrets.sealingKeyring, sealed, ssoFlowBinding(stateHash)).toString('utf8');
    return JSON.parse(text) as KeptLogin;
  }

  /**
   * Takes the step of the returning browser. Throws `sso_login_refused` for a state that was never
   * issued.
   */
  async takeReturn(state: string): Promise<TakenStep> {
    const stateHash = this.hash(state);
    const where = { stateHash, step: 'begun' as const, expiresAt: MoreThan(new Date()) };
    const { affected } = await this.dataSource.manager.update(SsoFlowEntity, where, { step: 'returned' });
    const step = await this.stepOf({ stateHash }, affected === 1);
    // A state that was never issued belongs to no organisation, so no audit log can contain it.
    if (step === null) throw expired();
    return step;
  }

  /** Issues the code with which the client gets the session of the user. */
  async issueLoginCode(manager: EntityManager, stateHash: string, who: ProvedUser): Promise<string> {
    const code = randomAlphanumeric(43);
    const expiresAt = new Date(Date.now() + CODE_MS);
    await manager.update(SsoFlowEntity, { stateHash }, { ...who, codeHash: this.hash(code), expiresAt });
    return code;
  }

  /**
   * Takes the exchange of a code by the client with the binding. Throws `unauthenticated` for a
   * code that was never issued.
   */
  async takeExchange(code: string, binding: string): Promise<TakenStep> {
    const codeHash = this.hash(code);
    const returned = {
      ...{ codeHash, bindingHash: this.hash(binding), step: 'returned' as const },
      expiresAt: MoreThan(new Date()),
    };
    const { affected } = await this.dataSource.manager.update(SsoFlowEntity, returned, { step: 'ended' });
    const step = await this.stepOf({ codeHash }, affected === 1);
    if (step === null) throw invalidCode();
    return step;
  }

  private async stepOf(
    where: { readonly stateHash: string } | { readonly codeHash: string },
    isFirst: boolean,
  ): Promise<TakenStep | null> {
    const { manager } = this.dataSource;
    const flow = await manager.findOneBy(SsoFlowEntity, where);
    if (flow === null) return null;
    const connection = await manager.findOneByOrFail(SsoConnectionEntity, { id: flow.connectionId });
    return { flow, connection, isFirst };
  }

  private hash(text: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, text);
  }
}

export const expired = (): GatewayError => refused('The login has expired or was used already; begin again.');

export const invalidCode = (): GatewayError =>
  new GatewayError('unauthenticated', { message: 'The code of the login is not valid; begin again.' });
