import { connectRedis, acceptsWrites, RedisBus, RedisDocuments } from '@gw/redis';
import {
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../settings';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import { DocumentsService } from './documents.service';
import { EnforcedFeaturesNotice } from './enforced-features';
import { EventStreams } from './event-streams';
import { Outbox } from './outbox';
import { OutboxTail } from './outbox-tail';
import { ReadModelController } from './read-model.controller';
import { REDIS_PUBLISHER, RedisPublisher } from './redis-publisher';
import { SigningKeyDocuments } from './signing-key-documents';

function redisPublisher(
  { REDIS_URL: url }: AdminSettings,
  outbox: Outbox,
  tail: OutboxTail,
  documents: DocumentsService,
): RedisPublisher | null {
  if (url === null) return null;
  const logger = new Logger(RedisPublisher.name);
  const redis = connectRedis({
    url,
    name: 'admin-api',
    log: {
      info: (message) => {
        logger.log(message);
      },
      warn: (message) => {
        logger.warn(message);
      },
    },
  });
  const publisher = new RedisPublisher(
    outbox,
    tail,
    documents,
    new RedisDocuments(redis),
    new RedisBus(redis, null),
    {
      responds: () => acceptsWrites(redis),
      close: () => {
        redis.disconnect();
      },
    },
  );
  redis.on('ready', () => {
    publisher.reconnected();
  });
  return publisher;
}

/**
 * Publishes every write to the gateways: services record changes, and gateways read them from Redis
 * or over HTTP.
 */
@Global()
@Module({
  controllers: [ReadModelController],
  providers: [
    ChangeRecorder,
    Outbox,
    OutboxTail,
    DocumentsService,
    SigningKeyDocuments,
    EnforcedFeaturesNotice,
    EventStreams,
    {
      provide: REDIS_PUBLISHER,
      useFactory: redisPublisher,
      inject: [SETTINGS, Outbox, OutboxTail, DocumentsService],
    },
  ],
  exports: [ChangeRecorder, REDIS_PUBLISHER],
})
export class ReadModelModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(REDIS_PUBLISHER) private readonly publisher: RedisPublisher | null) {}

  onApplicationBootstrap(): void {
    this.publisher?.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.publisher?.stop();
  }
}
