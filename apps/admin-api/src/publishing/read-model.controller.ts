import { INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServiceOnly } from '../platform/auth/access';
import { DocumentsService } from './documents.service';
import { EventStreams } from './event-streams';
import { DocumentsRequestDto } from './read-model.dto';
import { copiesOf, REDIS_PUBLISHER, type RedisPublisher } from './redis-publisher';

/** Serves the documents and events that gateways read, only to Tollgate's own processes. */
@ApiExcludeController()
@Controller()
export class ReadModelController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly streams: EventStreams,
    @Inject(REDIS_PUBLISHER) private readonly redis: RedisPublisher | null,
  ) {}

  @Post(INTERNAL.documents)
  @ServiceOnly()
  async read(@Body() body: DocumentsRequestDto): Promise<DocumentsResponse> {
    const response = await this.documents.read(body.keys);
    this.redis?.fill(copiesOf(response));
    return response;
  }

  @Get(INTERNAL.events)
  @ServiceOnly()
  async events(@Query('after') after: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      throw new GatewayError('validation_failed', {
        param: 'after',
        message: 'after must be a sequence number.',
      });
    }
    await this.streams.open(after === undefined ? null : Number(after), () => {
      reply.hijack();
      return reply.raw;
    });
  }
}
