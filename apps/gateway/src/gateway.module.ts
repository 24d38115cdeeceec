import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { INTERNAL } from '@gw/contracts';
import { deriveKey } from '@gw/kernel';
import { createReadModel, ReadModel } from '@gw/read-model';
import { connectRedis, RedisLogSink, type Redis } from '@gw/redis';
import { httpLogSink, Journal, LogShipper, type LogSink } from '@gw/telemetry';
import { describeFault, internalPost, startMetricsServer, type Log, type MetricsServer } from '@gw/web';
import { createDataPlane, journalDirectory, type DataPlane } from './data-plane';
import { GatewayHealth } from './gateway-health';
import { DurableBalances } from './limits/durable-balances';
import type { GatewaySettings } from './settings';
import { gatewayMetrics } from './metrics/gateway-metrics';
import { RequestMetrics } from './metrics/request-metrics';
import { recoverUnderWay, UnderWayFile } from './pipeline/under-way/under-way-file';
import { Presence } from './state/presence';

export const DATA_PLANE = Symbol('data plane');
const GRACE_MS = Symbol('milliseconds that requests have to end at shutdown');
const LEFT_BEHIND = Symbol('journals of processes that are no longer started');
const METRICS = Symbol('counts of requests, or null where nobody asks for them');
const METRICS_SERVER = Symbol('listener for Prometheus, or null');
const LOG_REDIS = Symbol('Redis connection of the log stream, or null');

export interface GatewayProcess {
  readonly settings: GatewaySettings;
  readonly log: Log;
  /** 0 for the first process that shares the port. */
  readonly index: number;
  readonly gatewayId: string;
}

const DRAIN_MS = 3_000;

/** Owns what lives as long as the process. Requests never reach Nest: see `http/front-door.ts`. */
@Module({})
export class GatewayModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private deadline: NodeJS.Timeout | null = null;

  constructor(
    private readonly documents: ReadModel,
    private readonly journal: Journal,
    private readonly shipper: LogShipper,
    @Inject(DATA_PLANE) private readonly plane: DataPlane,
    @Inject(LEFT_BEHIND) private readonly leftBehind: readonly LeftBehind[],
    @Inject(GRACE_MS) private readonly graceMs: number,
    @Inject(LOG_REDIS) private readonly redis: Redis | null,
    private readonly presence: Presence,
    @Inject(METRICS_SERVER) private readonly metrics: MetricsServer | null,
    private readonly underWay: UnderWayFile,
  ) {}

  static with(gateway: GatewayProcess): DynamicModule {
    const { settings } = gateway;
    return {
      module: GatewayModule,
      providers: [
        { provide: ReadModel, useFactory: () => startedReadModel(gateway) },
        { provide: Journal, useFactory: () => openedJournal(gateway) },
        {
          provide: LOG_REDIS,
          useFactory: () =>
            settings.REDIS_URL === null
              ? null
              : connectRedis({ url: settings.REDIS_URL, name: 'gateway-log' }),
        },
        {
          provide: LogShipper,
          inject: [Journal, LOG_REDIS],
          useFactory: (journal: Journal, redis: Redis | null) => startedShipper(gateway, journal, redis),
        },
        {
          provide: LEFT_BEHIND,
          inject: [LOG_REDIS],
          useFactory: (redis: Redis | null) => adoptJournals(gateway, sinkFor(settings, redis)),
        },
        { provide: Presence, useFactory: () => presenceOf(gateway) },
        { provide: GRACE_MS, useValue: settings.SHUTDOWN_GRACE },
        {
          provide: GatewayHealth,
          inject: [ReadModel, Journal, LogShipper, LOG_REDIS],
          useFactory: (...parts: [ReadModel, Journal, LogShipper, Redis | null]) =>
            healthOf(settings, ...parts),
        },
        {
          provide: DATA_PLANE,
          inject: [ReadModel, Journal, GatewayHealth, METRICS],
          useFactory: (...parts: [ReadModel, Journal, GatewayHealth, RequestMetrics | null]) =>
            dataPlaneOf(gateway, ...parts),
        },
        {
          provide: UnderWayFile,
          inject: [DATA_PLANE],
          useFactory: (plane: DataPlane) => underWayFileOf(gateway, plane),
        },
        {
          provide: METRICS,
          useFactory: () => (settings.METRICS_PORT === null ? null : new RequestMetrics()),
        },
        {
          provide: METRICS_SERVER,
          inject: [METRICS, Journal, LogShipper, ReadModel, DATA_PLANE],
          useFactory: (...parts: MetricsParts) => metricsServerOf(gateway, ...parts),
        },
      ],
      exports: [DATA_PLANE],
    };
  }

  onApplicationBootstrap(): void {
    this.presence.start();
    this.underWay.start();
  }

  /** Before the listener is closed: requests under way may end, but not for ever. */
  beforeApplicationShutdown(): void {
    this.presence.stop();
    this.deadline = setTimeout(() => {
      this.plane.close();
    }, this.graceMs);
  }

  /** After the listener is closed: what is in the journal is sent if it can be, and stays on the disk if not. */
  async onApplicationShutdown(): Promise<void> {
    if (this.deadline) clearTimeout(this.deadline);
    this.plane.close();
    this.metrics?.close();
    await this.shipper.stop(DRAIN_MS);
    this.journal.close();
    await this.underWay.stop();
    for (const { journal, shipper } of this.leftBehind) {
      await shipper.stop(0);
      journal.close();
    }
    this.redis?.disconnect();
    await this.documents.stop();
  }
}

async function startedReadModel({ settings, log, index }: GatewayProcess): Promise<ReadModel> {
  const documents = createReadModel({
    adminUrl: settings.ADMIN_URL,
    serviceToken: settings.SERVICE_TOKEN,
    redisUrl: settings.REDIS_URL,
    limits: { documentsMax: settings.READ_MODEL_MAX_DOCUMENTS, sizeMax: settings.READ_MODEL_MAX_BYTES },
    disk: {
      path: join(settings.DATA_DIR, 'gateway', `read-model-${String(index)}.sealed`),
      key: deriveKey(settings.ENCRYPTION_KEY, 'read-model-disk'),
    },
    log: (level, message, error) => {
      log[level](error === undefined ? {} : describeFault(error), message);
    },
  });
  await documents.start();
  return documents;
}

const presenceOf = ({ settings, gatewayId }: GatewayProcess): Presence =>
  new Presence({
    adminUrl: settings.ADMIN_URL,
    serviceToken: settings.SERVICE_TOKEN,
    gatewayId,
    clientAuth: settings.DEPLOYMENT_CLIENT_AUTH,
    post: internalPost,
  });

type MetricsParts = [RequestMetrics | null, Journal, LogShipper, ReadModel, DataPlane];

function metricsServerOf(
  { settings, index }: GatewayProcess,
  ...[metrics, journal, shipper, documents, { routing }]: MetricsParts
): Promise<MetricsServer> | null {
  const { METRICS_PORT, HOST } = settings;
  if (metrics === null || METRICS_PORT === null) return null;
  const render = gatewayMetrics(metrics, { journal, shipper, documents, routing });
  return startMetricsServer({ host: HOST, port: METRICS_PORT + index }, render);
}

const dataPlaneOf = (
  { settings, log, gatewayId }: GatewayProcess,
  documents: ReadModel,
  journal: Journal,
  health: GatewayHealth,
  metrics: RequestMetrics | null,
): DataPlane => {
  const balances = new DurableBalances(settings.WORKER_URL, settings.SERVICE_TOKEN);
  return createDataPlane({ settings, documents, journal, health, log, gatewayId, balances, metrics });
};

function openedJournal({ settings, log, index }: GatewayProcess): Journal {
  const directory = journalDirectory(settings, index);
  const journal = Journal.open({
    directory,
    capBytes: settings.JOURNAL_MAX_BYTES,
    report: ({ message }) => {
      log.error(message);
    },
  });
  const lost = recoverUnderWay(directory, journal);
  if (lost > 0) log.warn({ requests: lost }, 'requests were under way when this gateway ended last');
  return journal;
}

function startedShipper(
  { settings, log }: GatewayProcess,
  journal: Journal,
  redis: Redis | null,
): LogShipper {
  const shipper = new LogShipper(journal, sinkFor(settings, redis), {
    report: ({ message }) => {
      log.warn(message);
    },
  });
  shipper.start();
  return shipper;
}

const underWayFileOf = (
  { settings, log, index }: GatewayProcess,
  { underWay, lostRecord }: DataPlane,
): UnderWayFile =>
  new UnderWayFile(underWay, {
    directory: journalDirectory(settings, index),
    recordOf: lostRecord,
    onError: (error) => {
      log.warn(describeFault(error), 'what is under way could not be written down');
    },
  });

interface LeftBehind {
  readonly journal: Journal;
  readonly shipper: LogShipper;
}

/** Fewer processes than at the last start: the first one ships what the journals of the others still hold. */
function adoptJournals({ settings, index }: GatewayProcess, sink: LogSink): readonly LeftBehind[] {
  if (index !== 0) return [];
  return readdirSync(join(settings.DATA_DIR, 'gateway'))
    .map((name) => /^journal-(\d+)$/.exec(name)?.[1])
    .filter((other) => other !== undefined && Number(other) >= settings.GATEWAY_WORKERS)
    .map((other) => {
      const directory = journalDirectory(settings, Number(other));
      const journal = Journal.open({ directory });
      recoverUnderWay(directory, journal);
      const shipper = new LogShipper(journal, sink);
      shipper.start();
      return { journal, shipper };
    });
}

const sinkFor = (settings: GatewaySettings, redis: Redis | null): LogSink =>
  redis === null
    ? httpLogSink({
        url: new URL(INTERNAL.logs, settings.WORKER_URL).href,
        serviceToken: settings.SERVICE_TOKEN,
        post: internalPost,
      })
    : new RedisLogSink(redis);

const healthOf = (
  { JOURNAL_MAX_BYTES: journalCapBytes }: GatewaySettings,
  documents: ReadModel,
  journal: Journal,
  shipper: LogShipper,
  redis: Redis | null,
): GatewayHealth => new GatewayHealth({ documents, journal, shipper, redis, journalCapBytes });
