import { ApiKeyEntity, LogExportEntity, LogExportPartEntity, SessionEntity } from '@gw/entities';
import { GatewayError, Shares } from '@gw/kernel';
import type { ObjectStore } from '@gw/object-store';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { In, IsNull, type DataSource, type EntityManager } from 'typeorm';
import { liveGrants } from '../../platform/auth/access-tokens';
import type { Principal } from '../../platform/common/principal';
import { isUuid } from '../../platform/auth/tenancy';
import { disconnectIfSlow, downloadHeaders } from '../../platform/common/downloads';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { AdminSettings } from '../../settings';

const LINK_MS = 60 * 60 * 1_000;
/**
 * Maximum number of concurrent downloads of this process, shared among callers. Each holds one part
 * in memory.
 */
const DOWNLOADS_MAX = 20;
const CONTENT_TYPES = { jsonl: 'application/x-ndjson', parquet: 'application/vnd.apache.parquet' } as const;

/** The unvalidated query parameters of a link. */
export interface LinkParts {
  readonly expires: unknown;
  readonly by: unknown;
  readonly signature: unknown;
}

/** Serves the files of finished exports to callers with a link signed by this installation. */
export class LogExportFiles {
  private readonly places = new Shares(DOWNLOADS_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
    private readonly key: Buffer,
    private readonly settings: PublicUrlSettings & Pick<AdminSettings, 'DATA_EXPORTS_ENABLED'>,
  ) {}

  /**
   * Returns a link to the file of this run. The link ends with the key, session or grant that
   * created it; another run has another link.
   */
  link(caller: Principal, { id, run }: LogExportEntity): string {
    const expires = String(Date.now() + LINK_MS);
    const makerId = makerOf(caller);
    const query = `expires=${expires}&by=${makerId}&signature=${this.sign([id, run, expires, makerId])}`;
    return publicUrl(this.settings, `/v1/logs/exports/${id}/file?${query}`);
  }

  /**
   * Sends the file. `takeOver` returns the raw response, which this method then owns. Throws
   * `not_found` for an invalid or expired link, for a deleted export, and when the key, session or
   * grant of the link has ended; `unavailable` when no download slot is free.
   */
  async send(id: string, link: LinkParts, takeOver: () => ServerResponse): Promise<void> {
    const { row, reader } = await this.exportOf(id, link);
    const share = this.places.of(reader, row.organisationId);
    if (!share.take(1))
      throw new GatewayError('unavailable', {
        message: 'Too many exports are being downloaded, by you or in total; wait until one has finished.',
        headers: { 'retry-after': '5' },
      });
    try {
      const parts = await this.dataSource.manager.find(LogExportPartEntity, {
        where: { exportId: row.id },
        order: { number: 'ASC' },
      });
      await this.write(row, parts, takeOver());
    } finally {
      share.give(1);
    }
  }

  /**
   * Returns the export that a link identifies, and the id of the user or service key that created
   * the link.
   */
  private async exportOf(
    id: string,
    { expires, by, signature }: LinkParts,
  ): Promise<{ readonly row: LogExportEntity; readonly reader: string }> {
    const row = isUuid(id)
      ? await this.dataSource.manager.findOneBy(LogExportEntity, {
          id,
          status: 'success',
          deletedAt: IsNull(),
        })
      : null;
    const isOver = typeof expires !== 'string' || !/^\d{1,15}$/.test(expires) || Number(expires) < Date.now();
    if (!this.settings.DATA_EXPORTS_ENABLED || row === null || isOver) throw new GatewayError('not_found');
    if (typeof by !== 'string' || typeof signature !== 'string') throw new GatewayError('not_found');
    const right = Buffer.from(this.sign([row.id, row.run, expires, by]));
    const presented = Buffer.from(signature);
    if (presented.length !== right.length || !timingSafeEqual(presented, right))
      throw new GatewayError('not_found');
    const reader = await readerOf(this.dataSource.manager, by);
    if (reader === null) throw new GatewayError('not_found');
    return { row, reader };
  }

  private sign(parts: readonly (string | number)[]): string {
    return createHmac('sha256', this.key).update(parts.join(' ')).digest('base64url');
  }

  private async write(
    row: LogExportEntity,
    parts: readonly LogExportPartEntity[],
    res: ServerResponse,
  ): Promise<void> {
    const endCheck = disconnectIfSlow(res, Number(row.bytesDone));
    const filename = `logs-${row.id}.${row.format}`;
    res.writeHead(200, {
      ...downloadHeaders({ filename, contentType: CONTENT_TYPES[row.format] }),
      'content-length': row.bytesDone,
    });
    try {
      for (const { key } of parts) {
        const bytes = await this.store.get(key);
        if (bytes === null || res.destroyed) break;
        if (!res.write(bytes)) await drained(res);
      }
      // When a part is missing, fewer bytes than announced are sent, so the client detects an
      // incomplete download.
      res.end();
    } catch {
      res.destroy();
    } finally {
      endCheck();
    }
  }
}

/** Resolves when the response accepts further bytes or is closed. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

const KEY = 'key.';
const SESSION = 'session.';
const GRANT = 'grant.';

/**
 * Returns a reference to the credential that creates a link. Throws `forbidden` for a signed token
 * of a trust, because it cannot be revoked before it expires.
 */
function makerOf({ apiKeyId, sessionId, grantId, userId }: Principal): string {
  if (apiKeyId !== null) return `${KEY}${apiKeyId}`;
  if (sessionId !== null) return `${SESSION}${sessionId}`;
  if (grantId === null || grantId === userId)
    throw new GatewayError('forbidden', {
      message:
        'A signed token gets no links to files; log in, or use an API key or a token of the OAuth server.',
    });
  return `${GRANT}${grantId}`;
}

/**
 * Returns the id of the user or service key of a signed link; null when its key, session or grant
 * has ended, for example because the user has left.
 */
async function readerOf(manager: EntityManager, by: string): Promise<string | null> {
  if (by.startsWith(KEY)) {
    const status = In(['active', 'exhausted']);
    const key = await manager.findOneBy(ApiKeyEntity, { id: by.slice(KEY.length), status });
    return key !== null && isAhead(key.expiresAt) ? (key.userId ?? key.id) : null;
  }
  if (by.startsWith(GRANT)) {
    const [grant] = await liveGrants(manager, [by.slice(GRANT.length)]);
    return grant?.userId ?? null;
  }
  const session = await manager.findOneBy(SessionEntity, {
    id: by.slice(SESSION.length),
    revokedAt: IsNull(),
  });
  return session !== null && isAhead(session.expiresAt) ? session.userId : null;
}

const isAhead = (time: Date | null): boolean => time === null || time.getTime() > Date.now();
