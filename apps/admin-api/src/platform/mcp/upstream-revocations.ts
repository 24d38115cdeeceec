import type { McpRevocationEntity } from '@gw/entities';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import { openTokens } from './connection-tokens';
import { TokenEndpoint } from './token-endpoint';

const EVERY_MS = 5_000;
const BATCH = 20;

type Row = Pick<McpRevocationEntity, 'organisationId' | 'serverId' | 'userId' | 'sealedTokens'>;

/**
 * Revokes the tokens of ended connections at their authorization servers, in the background.
 * Attempts each revocation once: the gateways already refuse the connection, so a server that does
 * not respond does no harm.
 */
@Injectable()
export class UpstreamRevocations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(UpstreamRevocations.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly tokens: TokenEndpoint,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), EVERY_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Revokes at most one batch. A call during a running batch shares its result. */
  run(): Promise<void> {
    this.running ??= this.batch()
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'failed to revoke the tokens of ended connections');
      })
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  private async batch(): Promise<void> {
    const [rows] = await this.dataSource.query<[Row[], number]>(TAKE, [BATCH]);
    await Promise.all(rows.map((row) => this.revoke(row)));
  }

  /** Never rejects, so that a batch ends only after its last revocation. */
  private async revoke(row: Row): Promise<void> {
    try {
      await this.tokens.revoke(openTokens(this.secrets.sealingKeyring, row, row.sealedTokens));
    } catch (error) {
      this.logger.warn({ err: error, serverId: row.serverId }, 'failed to revoke the tokens of a connection');
    }
  }
}

const TAKE = `
  DELETE FROM mcp_revocations WHERE id IN (
    SELECT id FROM mcp_revocations ORDER BY created_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING organisation_id AS "organisationId", server_id AS "serverId", user_id AS "userId",
    sealed_tokens AS "sealedTokens"`;
