import { OrganisationEntity, SsoConnectionEntity } from '@gw/entities';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toConnectionChoice } from '../../platform/logins/sso-login.service';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ConsoleBootstrapResponse } from './console.dto';

type Choices = Pick<ConsoleBootstrapResponse, 'password_login' | 'sso'>;

/**
 * How long the choices are cached, in milliseconds. Callers need no credential, so each request
 * must not query the database.
 */
const KEPT_MS = 5_000;

/**
 * Provides the login methods of the installation. With several organisations they differ by
 * address, and the connections of an organisation are not shown to unknown visitors.
 */
@Injectable()
export class SignInChoices {
  private kept: { readonly choices: Promise<Choices>; readonly until: number } | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SSO_BREAK_GLASS'>,
  ) {}

  read(now = Date.now()): Promise<Choices> {
    if (this.kept !== undefined && this.kept.until > now) return this.kept.choices;
    const choices = this.find();
    this.kept = { choices, until: now + KEPT_MS };
    choices.catch(() => (this.kept = undefined));
    return choices;
  }

  private async find(): Promise<Choices> {
    const { manager } = this.dataSource;
    const [only, ...others] = await manager.find(OrganisationEntity, {
      ...{ where: { status: 'active' }, select: { id: true }, take: 2 },
    });
    if (only === undefined || others.length > 0) return { password_login: true, sso: [] };
    const connections = await manager.find(SsoConnectionEntity, {
      ...{ where: { organisationId: only.id, status: 'active' }, order: { createdAt: 'ASC' }, take: 20 },
    });
    const isEnforced = connections.some(({ enforced }) => enforced);
    return {
      password_login: !isEnforced || this.settings.SSO_BREAK_GLASS,
      sso: connections.map(toConnectionChoice),
    };
  }
}
