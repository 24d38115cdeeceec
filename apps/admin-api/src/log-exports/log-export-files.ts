import { LogExportEntity, LogExportPartEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { ObjectStore } from '@gw/object-store';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { IsNull, type DataSource } from 'typeorm';
import { isUuid } from '../auth/tenancy';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import type { AdminSettings } from '../settings';

const LINK_MS = 60 * 60 * 1_000;
/** Downloads of this process at a time; each holds one part. */
const DOWNLOADS_MAX = 20;
/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 60_000;

const CONTENT_TYPES = { jsonl: 'application/x-ndjson', parquet: 'application/vnd.apache.parquet' } as const;

/** Hands out the files of finished exports, to whoever has a link that was signed here. */
export class LogExportFiles {
  private downloads = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
    private readonly key: Buffer,
    private readonly settings: PublicUrlSettings & Pick<AdminSettings, 'DATA_EXPORTS_ENABLED'>,
  ) {}

  /** A link to the file of this run; another run's file has another link. */
  link({ id, run }: LogExportEntity): string {
    const expires = String(Date.now() + LINK_MS);
    const query = `expires=${expires}&signature=${this.sign(id, run, expires)}`;
    return publicUrl(this.settings, `/v1/logs/exports/${id}/file?${query}`);
  }

  /** `takeOver` gives the response, which is ours from then on. Throws `not_found` for a link that is wrong, over or of a deleted export. */
  async send(
    id: string,
    link: { readonly expires: unknown; readonly signature: unknown },
    takeOver: () => ServerResponse,
  ): Promise<void> {
    const row = await this.exportOf(id, link);
    if (this.downloads >= DOWNLOADS_MAX)
      throw new GatewayError('unavailable', {
        message: 'Too many exports are downloaded.',
        headers: { 'retry-after': '5' },
      });
    this.downloads += 1;
    try {
      const parts = await this.dataSource.manager.find(LogExportPartEntity, {
        where: { exportId: row.id },
        order: { number: 'ASC' },
      });
      await this.write(row, parts, takeOver());
    } finally {
      this.downloads -= 1;
    }
  }

  private async exportOf(id: string, { expires, signature }: { expires: unknown; signature: unknown }) {
    const row = isUuid(id)
      ? await this.dataSource.manager.findOneBy(LogExportEntity, {
          id,
          status: 'success',
          deletedAt: IsNull(),
        })
      : null;
    const isOver = typeof expires !== 'string' || !/^\d{1,15}$/.test(expires) || Number(expires) < Date.now();
    if (!this.settings.DATA_EXPORTS_ENABLED || row === null || isOver || typeof signature !== 'string')
      throw new GatewayError('not_found');
    const [given, right] = [Buffer.from(signature), Buffer.from(this.sign(row.id, row.run, expires))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) throw new GatewayError('not_found');
    return row;
  }

  private sign(id: string, run: number, expires: string): string {
    return createHmac('sha256', this.key)
      .update(`${id} ${String(run)} ${expires}`)
      .digest('base64url');
  }

  private async write(
    row: LogExportEntity,
    parts: readonly LogExportPartEntity[],
    res: ServerResponse,
  ): Promise<void> {
    res.on('error', () => undefined);
    res.setTimeout(STALLED_MS, () => res.destroy());
    res.writeHead(200, {
      'content-type': CONTENT_TYPES[row.format],
      'content-length': row.bytesDone,
      'content-disposition': `attachment; filename="logs-${row.id}.${row.format}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    try {
      for (const { key } of parts) {
        const bytes = await this.store.get(key);
        if (bytes === null || res.destroyed) break;
        if (!res.write(bytes)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
      }
      // A file that is not whole must not look as if it were: fewer bytes than were announced break the connection.
      res.end();
    } catch {
      res.destroy();
    }
  }
}
