import { INTERNAL } from '@gw/contracts';
import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { encodeFrame, httpLogSink, type LogSink } from '@gw/journal';
import { GatewayError } from '@gw/kernel';
import { internalPost } from '@gw/outbound';
import { setImmediate } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { assertScope } from '../../platform/auth/scope-checks';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace } from '../../platform/auth/tenancy';
import { ITEMS_OF_A_TURN, oneOrMany } from '../../platform/common/one-or-many';
import type { AdminSettings } from '../../settings';
import { customLogRecord } from './custom-log';
import { CustomLogDto, type InsertedLogsResponse } from './custom-log.dto';

/** Maximum number of stored bytes of a body, the same as the default of gateways. */
const BODY_BYTES_MAX = 262_144;
/**
 * Maximum size of a batch in bytes; below the workers' limit, with room for the rest of a record.
 */
const BATCH_BYTES_MAX = 12 * 1_048_576;

/**
 * Stores logs of requests that did not pass through the gateway. Sends them to the worker, which is
 * the only writer of log records.
 */
export class CustomLogsService {
  private readonly sink: LogSink;

  constructor(
    private readonly dataSource: DataSource,
    { WORKER_URL, SERVICE_TOKEN }: Pick<AdminSettings, 'WORKER_URL' | 'SERVICE_TOKEN'>,
  ) {
    const url = WORKER_URL.replace(/(?<!\/)\/+$/, '') + INTERNAL.logs;
    this.sink = httpLogSink({ url, serviceToken: SERVICE_TOKEN, post: internalPost });
  }

  /**
   * Stores the logs; all of them are stored when it resolves. Throws `unavailable` when the worker
   * cannot be reached; some logs may then be stored.
   */
  async insert(caller: Principal, body: unknown): Promise<InsertedLogsResponse> {
    assertScope(caller, ['completions.write']);
    const { organisationId, workspaceId } = inWorkspace(caller);
    const logs = await oneOrMany(body, CustomLogDto);
    const keepsBodies = await this.logsBodies(organisationId, workspaceId);
    const owner = { organisationId, workspaceId, apiKeyId: caller.apiKeyId, userId: caller.userId };
    let batch: Buffer[] = [];
    let bytes = 0;
    for (const [at, log] of logs.entries()) {
      if (at % ITEMS_OF_A_TURN === ITEMS_OF_A_TURN - 1) await setImmediate();
      const frame = frameOf(owner, log, keepsBodies);
      if (bytes + frame.length > BATCH_BYTES_MAX) {
        await this.send(batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(frame);
      bytes += frame.length;
    }
    await this.send(batch);
    return { status: 'success' };
  }

  private async send(frames: readonly Buffer[]): Promise<void> {
    await this.sink.send(Buffer.concat(frames), frames.length).catch((cause: unknown) => {
      throw new GatewayError('unavailable', {
        message: 'The log store cannot be reached; try again later.',
        cause,
      });
    });
  }

  private async logsBodies(organisationId: string, workspaceId: string): Promise<boolean> {
    const { manager } = this.dataSource;
    const organisation = found(await manager.findOneBy(OrganisationEntity, { id: organisationId }));
    const workspace = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId, organisationId }));
    return organisation.settings.debug_log !== 0 && workspace.settings.debug_log !== 0;
  }
}

function frameOf(
  owner: Parameters<typeof customLogRecord>[0],
  log: CustomLogDto,
  keepsBodies: boolean,
): Buffer {
  const request = Buffer.from(JSON.stringify(log.request.body));
  const response = Buffer.from(JSON.stringify(log.response.body));
  const record = customLogRecord(owner, log, {
    request: request.length,
    response: response.length,
    requestCut: keepsBodies && request.length > BODY_BYTES_MAX,
    responseCut: keepsBodies && response.length > BODY_BYTES_MAX,
  });
  const kept = (body: Buffer): Buffer | null => (keepsBodies ? body.subarray(0, BODY_BYTES_MAX) : null);
  const frame = encodeFrame(JSON.stringify(record), kept(request), kept(response));
  if (frame === null)
    throw new GatewayError('body_invalid', { message: 'A log is too large; shorten its bodies.' });
  return frame;
}
