import { INTERNAL } from '@gw/contracts';
import { decodeFrames } from '@gw/journal';
import { GatewayError } from '@gw/kernel';
import { quarantinedLogs, type QuarantineEntry } from '@gw/log-store';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogIngest, type Stored } from './log-ingest';

/** Maximum size of a batch in bytes; the largest frame fits twice. */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;

const PAGE = 500;

/**
 * Accepts log records from gateways. `service-auth.ts` checks the service token before the body is
 * read.
 */
@Controller()
export class LogIngestController {
  constructor(
    private readonly ingest: LogIngest,
    private readonly source: DataSource,
  ) {}

  /**
   * Lists the newest quarantined records without their contents, which operators read in the
   * database.
   */
  @Get(INTERNAL.quarantinedLogs)
  async quarantine(): Promise<{ readonly records: readonly QuarantineEntry[] }> {
    return { records: await quarantinedLogs(this.source.manager, PAGE) };
  }

  @Post(INTERNAL.logs)
  @HttpCode(200)
  async store(@Body() body: unknown): Promise<Stored> {
    if (!Buffer.isBuffer(body)) throw new GatewayError('content_type_unsupported');
    const { frames, damaged } = decodeFrames(body);
    // A damaged batch is refused as a whole: the gateway still has it.
    if (damaged)
      throw new GatewayError('body_invalid', { message: 'The body does not consist of whole frames.' });
    return this.ingest.store(frames);
  }
}
