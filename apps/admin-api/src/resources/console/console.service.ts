import { SessionEntity, UserEntity } from '@gw/entities';
import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { switchesOf } from '../../platform/auth/features';
import { BODY } from '../../platform/bodies';
import type { Principal } from '../../platform/common/principal';
import { clientGatewayUrl } from '../../platform/common/public-url';
import { SEARCH_DAYS_MAX, TAIL_SECONDS_MAX } from '../../platform/logs/logs.dto';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ConsoleBootstrapResponse } from './console.dto';
import { SignInChoices } from './sign-in-choices';

/** Provides data about the installation to consoles. */
@Injectable()
export class ConsoleService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly choices: SignInChoices,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {}

  /**
   * Returns the data for a console. Without a session (`caller` is null), contains only what a
   * sign-in needs.
   */
  async bootstrap(caller: Principal | null): Promise<ConsoleBootstrapResponse> {
    const signIn = {
      object: 'console-bootstrap' as const,
      version: CONTROL_PLANE_VERSION,
      environment: this.settings.CONSOLE_ENVIRONMENT,
      ...(await this.choices.read()),
    };
    if (caller === null) return signIn;
    return {
      ...signIn,
      needs_password: await this.needsPassword(caller),
      gateway_url: clientGatewayUrl(this.settings),
      features: this.features(),
      log_search: 'scan',
      retention_days: {
        logs: this.settings.LOG_RETENTION_DISPLAY,
        metrics: this.settings.METRICS_RETENTION_DISPLAY,
      },
      api_key_prefix: this.settings.API_KEY_PREFIX,
      zone: 'UTC',
      currency: 'USD',
      limits: {
        tail_seconds: TAIL_SECONDS_MAX,
        log_search_days: SEARCH_DAYS_MAX,
        body_bytes: BODY.bytes,
        requests_per_minute: this.settings.CONSOLE_RATE_LIMIT,
      },
    };
  }

  private features(): Record<string, boolean> {
    return {
      ...switchesOf(this.settings),
      oauth: this.settings.OAUTH_ENABLED && this.settings.PUBLIC_URL !== null,
      mail: this.settings.SMTP_HOST !== null,
      sandbox: this.settings.SANDBOX_ENABLED,
    };
  }

  private async needsPassword({ userId, sessionId }: Principal): Promise<boolean> {
    const { manager } = this.dataSource;
    const session = { id: sessionId ?? '', byClaim: true };
    if (!(await manager.existsBy(SessionEntity, session))) return false;
    return manager.existsBy(UserEntity, { id: userId ?? '', passwordGenerated: true });
  }
}
