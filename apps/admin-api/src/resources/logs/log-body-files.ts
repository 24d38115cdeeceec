import { GatewayError, Shares } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { byteRange } from '../../platform/common/byte-range';
import { disconnectIfSlow, downloadHeaders } from '../../platform/common/downloads';
import type { Principal } from '../../platform/common/principal';
import { LogsService, type BodyOfLog } from './logs.service';

/**
 * Maximum number of bodies that this process sends concurrently, shared among callers. Each holds
 * the bodies of one log in memory.
 */
const SENT_MAX = 16;

/** Sends logged bodies as files, byte for byte as they were stored. */
@Injectable()
export class LogBodyFiles {
  private readonly places = new Shares(SENT_MAX);

  constructor(private readonly logs: LogsService) {}

  /**
   * Sends one body, or the range of it that the request names. Throws `not_found` for a log that
   * the caller may not read and for one without this body, `range_not_satisfiable`, and
   * `unavailable` when too many bodies are being sent.
   */
  async send(
    caller: Principal,
    which: BodyOfLog,
    { headers }: Pick<FastifyRequest, 'headers'>,
    reply: FastifyReply,
  ): Promise<void> {
    const { organisationId, userId, apiKeyId } = caller;
    const share = this.places.of(userId ?? apiKeyId ?? organisationId, organisationId);
    if (!share.take(1))
      throw new GatewayError('unavailable', {
        message: 'Too many bodies of logs are being sent, to you or in total; try again in a moment.',
        headers: { 'retry-after': '1' },
      });
    try {
      const { bytes, contentType } = await this.logs.body(caller, which);
      // Responses have no validator, so no If-Range condition can be met.
      const range = headers['if-range'] === undefined ? byteRange(headers.range, bytes.length) : null;
      const { start, end } = range ?? { start: 0, end: bytes.length };
      const filename = `log-${which.id}-${which.part}`;
      void reply.headers({ ...downloadHeaders({ filename, contentType }), 'accept-ranges': 'bytes' });
      if (range)
        void reply
          .status(206)
          .header('content-range', `bytes ${String(start)}-${String(end - 1)}/${String(bytes.length)}`);
      const endCheck = disconnectIfSlow(reply.raw, end - start);
      void reply.send(bytes.subarray(start, end));
      await sent(reply.raw);
      endCheck();
    } finally {
      share.give(1);
    }
  }
}

const sent = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (res.writableFinished || res.destroyed) resolve();
    res.once('finish', resolve).once('close', resolve);
  });
