import { INTERNAL } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { quarantinedLogs, type QuarantineEntry } from '@gw/log-store';
import { decodeFrames } from '@gw/telemetry';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogIngest, type Stored } from './log-ingest';

/** Bytes of a batch at most: the largest frame fits twice. */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;

const PAGE = 500;

/** Takes log records from gateways. The service token is checked before the body is read (`service-auth.ts`). */
@Controller()
export class LogIngestController {
  constructor(
    private readonly ingest: LogIngest,
    private readonly source: DataSource,
  ) {}

  /** The newest of the quarantine, without their contents, which an operator reads in the database. */
  @Get(INTERNAL.quarantinedLogs)
  async quarantine(): Promise<{ readonly records: readonly QuarantineEntry[] }> {
    return { records: await quarantinedLogs(this.source.manager, PAGE) };
  }

  @Post(INTERNAL.logs)
  @HttpCode(200)
  async store(@Body() body: unknown): Promise<Stored> {
    if (!Buffer.isBuffer(body)) throw new GatewayError('content_type_unsupported');
    const { frames, damaged } = decodeFrames(body);
    // Nothing of a batch that arrived damaged is stored: the gateway still has it whole.
    if (damaged)
      throw new GatewayError('body_invalid', { message: 'The body does not consist of whole frames.' });
    return this.ingest.store(frames);
  }
}
