import { join } from 'node:path';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Journal, LogShipper } from '@gw/journal';
import { keyringOf, masterKeysOf } from '@gw/kernel';
import { PROVIDERS } from '@gw/providers';
import { createReadModel, ReadModel } from '@gw/read-model';
import type { Redis } from '@gw/redis';
import { internalPost } from '@gw/outbound';
import { describeFault, startMetricsServer, type MetricsServer } from '@gw/web';
import { createDataPlane, type DataPlane } from './data-plane';
import { GatewayHealth } from './health/gateway-health';
import { ChargesAlone } from './record/charges-alone';
import { DurableBalances } from './limits/durable-balances';
import { HolderNames } from './limits/holder-names';
import type { GatewayProcess } from './gateway-process';
import type { JournalHome } from './journals/journal-home';
import { HOME, journalProviders, LOG_REDIS, sealerOf } from './journals/journal-providers';
import { policyValues } from './limits/caller-limits';
import { OrphanedJournals } from './journals/orphaned-journals';
import type { GatewaySettings } from './settings';
import { gatewayMetrics } from './metrics/gateway-metrics';
import { RequestMetrics } from './metrics/request-metrics';
import { Presence } from './health/presence';

export const DATA_PLANE = Symbol('data plane');
const METRICS = Symbol('request metrics, or null when metrics are disabled');
const METRICS_SERVER = Symbol('listener for Prometheus, or null');

const DRAIN_MS = 3_000;

/**
 * Owns the parts that exist for the lifetime of the process. Requests never reach Nest: see
 * `http/front-door.ts`.
 */
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
          inject: [ReadModel, HOME, LogShipper, OrphanedJournals, Presence, LOG_REDIS],
          useFactory: (
            ...parts: [ReadModel, JournalHome, LogShipper, OrphanedJournals, Presence, Redis | null]
          ) => healthOf(settings, ...parts),
        },
        {
          provide: DATA_PLANE,
          inject: [ReadModel, HOME, GatewayHealth, METRICS, ChargesAlone],
          useFactory: (...parts: PlaneParts) => dataPlaneOf(gateway, ...parts),
        },
        {
          provide: METRICS,
          useFactory: () => (settings.METRICS_PORT === null ? null : new RequestMetrics()),
        },
        {
          provide: METRICS_SERVER,
          inject: [METRICS, Journal, LogShipper, OrphanedJournals, ReadModel, ChargesAlone, DATA_PLANE],
          useFactory: (...parts: MetricsParts) => metricsServerOf(gateway, ...parts),
        },
      ],
      exports: [DATA_PLANE],
    };
  }

  onApplicationBootstrap(): void {
    this.presence.start();
    this.plane.inFlight.start();
    this.orphans.start();
  }

  beforeApplicationShutdown(): void {
    this.presence.stop();
  }

  /**
   * Runs after the last connection has ended. Sends the rest of the journal if possible; otherwise
   * it stays on disk.
   */
  async onApplicationShutdown(): Promise<void> {
    this.plane.close();
    this.metrics?.close();
    await this.shipper.stop(DRAIN_MS);
    await this.chargesAlone.stop(DRAIN_MS);
    this.journal.close();
    await this.plane.inFlight.stop();
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

type MetricsParts = [
  ...[RequestMetrics | null, Journal, LogShipper, OrphanedJournals, ReadModel, ChargesAlone],
  DataPlane,
];

function metricsServerOf(
  { settings, index, faults }: GatewayProcess,
  ...[metrics, journal, shipper, orphans, documents, chargesAlone, plane]: MetricsParts
): Promise<MetricsServer> | null {
  const { METRICS_PORT, HOST } = settings;
  if (metrics === null || METRICS_PORT === null) return null;
  const { routing, overload, outbound, refused } = plane;
  const render = gatewayMetrics(metrics, {
    chargesAlone,
    overload,
    outbound,
    refused,
    faults,
    journal,
    shipper,
    orphans,
    documents,
    routing,
    policyValues,
  });
  return startMetricsServer({ host: HOST, port: METRICS_PORT + index }, render);
}

type PlaneParts = [ReadModel, JournalHome, GatewayHealth, RequestMetrics | null, ChargesAlone];

const dataPlaneOf = (
  { settings, log, gatewayId, drain, faults }: GatewayProcess,
  ...[documents, { directory, journal }, health, metrics, chargesAlone]: PlaneParts
): DataPlane => {
  const balances = new DurableBalances(settings.WORKER_URL, settings.SERVICE_TOKEN);
  const holderNames = new HolderNames(directory, journal);
  const home = { directory, sealer: sealerOf(settings) };
  const own = { settings, log, gatewayId, drain, faults, chargesAlone, home };
  return createDataPlane({
    ...own,
    documents,
    providers: PROVIDERS,
    journal,
    health,
    balances,
    holderNames,
    metrics,
  });
};

const healthOf = (
  { JOURNAL_MAX_BYTES: journalCapBytes }: GatewaySettings,
  documents: ReadModel,
  home: JournalHome,
  shipper: LogShipper,
  orphans: OrphanedJournals,
  presence: Presence,
  redis: Redis | null,
): GatewayHealth =>
  new GatewayHealth({
    ...{ documents, journal: home.journal, home, shipper, orphans, presence, redis, journalCapBytes },
  });
