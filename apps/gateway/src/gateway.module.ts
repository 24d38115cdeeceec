import { join } from 'node:path';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { keyringOf, masterKeysOf } from '@gw/kernel';
import { createReadModel, ReadModel } from '@gw/read-model';
import type { Redis } from '@gw/redis';
import { Journal, LogShipper } from '@gw/telemetry';
import { describeFault, internalPost, startMetricsServer, type MetricsServer } from '@gw/web';
import { createDataPlane, type DataPlane } from './data-plane';
import { GatewayHealth } from './gateway-health';
import { ChargesAlone } from './limits/charges-alone';
import { DurableBalances } from './limits/durable-balances';
import { HolderNames } from './limits/holder-names';
import type { GatewayProcess } from './gateway-process';
import type { JournalHome } from './journals/journal-home';
import { HOME, journalProviders, LOG_REDIS } from './journals/journal-providers';
import { OrphanedJournals } from './journals/orphaned-journals';
import type { GatewaySettings } from './settings';
import { gatewayMetrics } from './metrics/gateway-metrics';
import { RequestMetrics } from './metrics/request-metrics';
import { UnderWayFile } from './pipeline/under-way/under-way-file';
import { Presence } from './state/presence';

export const DATA_PLANE = Symbol('data plane');
const METRICS = Symbol('counts of requests, or null where nobody asks for them');
const METRICS_SERVER = Symbol('listener for Prometheus, or null');

const DRAIN_MS = 3_000;

/** Owns what lives as long as the process. Requests never reach Nest: see `http/front-door.ts`. */
@Module({})
export class GatewayModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly documents: ReadModel,
    private readonly journal: Journal,
    private readonly shipper: LogShipper,
    @Inject(DATA_PLANE) private readonly plane: DataPlane,
    private readonly chargesAlone: ChargesAlone,
    private readonly orphans: OrphanedJournals,
    @Inject(HOME) private readonly home: JournalHome,
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
        ...journalProviders(gateway),
        {
          provide: ReadModel,
          inject: [HOME],
          useFactory: (home: JournalHome) => startedReadModel(gateway, home),
        },
        { provide: Presence, useFactory: () => presenceOf(gateway) },
        {
          provide: GatewayHealth,
          inject: [ReadModel, Journal, LogShipper, OrphanedJournals, LOG_REDIS],
          useFactory: (...parts: [ReadModel, Journal, LogShipper, OrphanedJournals, Redis | null]) =>
            healthOf(settings, ...parts),
        },
        {
          provide: DATA_PLANE,
          inject: [ReadModel, Journal, GatewayHealth, METRICS, HOME, ChargesAlone],
          useFactory: (...parts: PlaneParts) => dataPlaneOf(gateway, ...parts),
        },
        {
          provide: UnderWayFile,
          inject: [DATA_PLANE, HOME],
          useFactory: (plane: DataPlane, home: JournalHome) => underWayFileOf(gateway, plane, home),
        },
        {
          provide: METRICS,
          useFactory: () => (settings.METRICS_PORT === null ? null : new RequestMetrics()),
        },
        {
          provide: METRICS_SERVER,
          inject: [METRICS, Journal, LogShipper, OrphanedJournals, ReadModel, DATA_PLANE],
          useFactory: (...parts: MetricsParts) => metricsServerOf(gateway, ...parts),
        },
      ],
      exports: [DATA_PLANE],
    };
  }

  onApplicationBootstrap(): void {
    this.presence.start();
    this.underWay.start();
    this.orphans.start();
  }

  beforeApplicationShutdown(): void {
    this.presence.stop();
  }

  /** After the last connection has ended: what is in the journal is sent if it can be, and stays on the disk if not. */
  async onApplicationShutdown(): Promise<void> {
    this.plane.close();
    this.metrics?.close();
    await this.shipper.stop(DRAIN_MS);
    await this.chargesAlone.stop(DRAIN_MS);
    this.journal.close();
    await this.underWay.stop();
    await this.orphans.stop();
    this.home.release();
    this.redis?.disconnect();
    await this.documents.stop();
  }
}

async function startedReadModel(
  { settings, log }: GatewayProcess,
  { slot }: JournalHome,
): Promise<ReadModel> {
  const documents = createReadModel({
    adminUrl: settings.ADMIN_URL,
    serviceToken: settings.SERVICE_TOKEN,
    redisUrl: settings.REDIS_URL,
    limits: { documentsMax: settings.READ_MODEL_MAX_DOCUMENTS, sizeMax: settings.READ_MODEL_MAX_BYTES },
    disk: {
      path: join(settings.DATA_DIR, 'gateway', `read-model-${String(slot)}.sealed`),
      ring: keyringOf('read-model-disk', ...masterKeysOf(settings)),
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

type MetricsParts = [RequestMetrics | null, Journal, LogShipper, OrphanedJournals, ReadModel, DataPlane];

function metricsServerOf(
  { settings, index }: GatewayProcess,
  ...[metrics, journal, shipper, orphans, documents, { routing, overload, outbound }]: MetricsParts
): Promise<MetricsServer> | null {
  const { METRICS_PORT, HOST } = settings;
  if (metrics === null || METRICS_PORT === null) return null;
  const render = gatewayMetrics(metrics, {
    overload,
    outbound,
    journal,
    shipper,
    orphans,
    documents,
    routing,
  });
  return startMetricsServer({ host: HOST, port: METRICS_PORT + index }, render);
}

type PlaneParts = [ReadModel, Journal, GatewayHealth, RequestMetrics | null, JournalHome, ChargesAlone];

const dataPlaneOf = (
  { settings, log, gatewayId, drain }: GatewayProcess,
  ...[documents, journal, health, metrics, { directory }, chargesAlone]: PlaneParts
): DataPlane => {
  const balances = new DurableBalances(settings.WORKER_URL, settings.SERVICE_TOKEN);
  const holderNames = new HolderNames(directory, journal);
  const own = { settings, log, gatewayId, drain, chargesAlone };
  return createDataPlane({ ...own, documents, journal, health, balances, holderNames, metrics });
};

const underWayFileOf = (
  { log }: GatewayProcess,
  { underWay, lostRecord }: DataPlane,
  { directory }: JournalHome,
): UnderWayFile =>
  new UnderWayFile(underWay, {
    directory,
    recordOf: lostRecord,
    onError: (error) => {
      log.warn(describeFault(error), 'what is under way could not be written down');
    },
  });

const healthOf = (
  { JOURNAL_MAX_BYTES: journalCapBytes }: GatewaySettings,
  documents: ReadModel,
  journal: Journal,
  shipper: LogShipper,
  orphans: OrphanedJournals,
  redis: Redis | null,
): GatewayHealth => new GatewayHealth({ documents, journal, shipper, orphans, redis, journalCapBytes });
